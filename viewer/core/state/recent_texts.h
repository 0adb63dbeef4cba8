// A short list of texts in one setting, the last used first, with semicolons between. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

inline constexpr size_t kMaxRecentTexts = 10;

std::vector<std::string> RecentTexts(std::string_view setting);
// The setting with `text` in front; the oldest is dropped where there are more than
// kMaxRecentTexts.
std::string WithRecentText(std::string_view setting, std::string_view text);

}  // namespace stepscope
