// How many bits the numbers have that device work computes with, by names and types
// (docs/rules.md#precision). Pure, thread-safe, O(length).
#pragma once

#include <string_view>

namespace stepscope {

// 4, 8, 16, 32 or 64 by the words of a kernel's name, the fewest of those it has; 0: it says
// nothing.
int BitsOfKernel(std::string_view kernel);
// Of the floating-point tensors in PyTorch's `Input type`; 0: there is none, or several differ.
int BitsOfInputTypes(std::string_view input_types);

}  // namespace stepscope
