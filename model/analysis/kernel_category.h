// What a kernel computes, by its name and its op's: the one function that tables by category ask.
// Pure, thread-safe, O(length).
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class KernelCategory : uint8_t {
  kGemm,
  kConvolution,
  kAttention,
  kNormalisation,
  kElementwise,
  kReduction,
  kCopy,
  kCollective,
  kOther,
  kCount
};
const char* CategoryName(KernelCategory category);  // "GEMM"

// By the kernel's name; where that says nothing, by the op that launched it.
KernelCategory CategoryOfKernel(std::string_view kernel, std::string_view op);

}  // namespace stepscope
