// The size of the numbers that device work computes with, in bits, by names and types
// (docs/rules.md#precision). Pure; any thread; O(length).
#pragma once

#include <string_view>

namespace stepscope {

// 4, 8, 16, 32 or 64: the smallest size that the kernel's name has a word for; 0 if it has none.
int BitsOfKernel(std::string_view kernel);
// The size of the floating-point tensors in PyTorch's `Input type`; 0 if
// there is none, or sizes differ.
int BitsOfInputTypes(std::string_view input_types);

}  // namespace stepscope
