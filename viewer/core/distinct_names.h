// Short names of a list that can be told apart: those that are alike get the part of the whole name
// that differs, "MatMul · dense_1". Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// The middle form of MakeShortForms for each name, which may be empty; equal names stay equal.
// O(total length · log of the names that are alike).
std::vector<std::string> DistinctNames(std::span<const std::string_view> names);

}  // namespace stepscope
