// Names in the order that people expect: "Stream #7" before "Stream #14". Letters by their bytes.
#pragma once

#include <string_view>

namespace stepscope {

// Whether a name comes before another; numbers in them by their values. O(length)
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace stepscope
