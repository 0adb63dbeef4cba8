// The order of names that people expect: "Stream #7" before "Stream #14". Pure.
#pragma once

#include <string_view>

namespace stepscope {

// Whether `a` comes before `b`. Numbers compare by value, all else by bytes. O(length).
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace stepscope
