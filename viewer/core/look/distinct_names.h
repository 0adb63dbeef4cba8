// Short names that can be told apart within a list: where two short names are alike, each gets the
// part of its whole name that differs, "MatMul · dense_1". Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// For each name the middle form of MakeShortForms, which may be empty, and the part that tells it
// apart. Equal names stay equal. O(total length · log names that are alike)
std::vector<std::string> DistinctNames(std::span<const std::string_view> names);

}  // namespace stepscope
