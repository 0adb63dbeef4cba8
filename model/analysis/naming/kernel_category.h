// The category of a kernel, by its name and the name of its op. Every table by category asks here
// (docs/rules.md#devices). O(length of the names that are read).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

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

// Says the categories of many kernels, and reads each name once: tables have a row for each shape
// of a launch. The texts must outlive this. One thread.
class KernelCategories {
 public:
  // By the kernel's name; if that says nothing, by the op that launched it, which may be empty.
  KernelCategory Of(std::string_view kernel, std::string_view op);

 private:
  std::unordered_map<std::string_view, KernelCategory> of_kernels_, of_ops_;
};

// The same for one kernel. Pure; any thread.
KernelCategory CategoryOfKernel(std::string_view kernel, std::string_view op);

}  // namespace stepscope
