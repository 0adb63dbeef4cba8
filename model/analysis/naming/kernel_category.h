// The category of a kernel, by its name and the name of its op. Every table by category asks this
// one function (docs/rules.md#devices). Pure; any thread; O(length).
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

// By the kernel's name; if that says nothing, by the op that launched it, which may be empty.
KernelCategory CategoryOfKernel(std::string_view kernel, std::string_view op);

// Says the same for many kernels, and reads each name once: tables have a row for each shape of a
// launch. The texts must outlive this. One thread.
class KernelCategories {
 public:
  KernelCategory Of(std::string_view kernel, std::string_view op);

 private:
  std::unordered_map<std::string_view, KernelCategory> of_kernels_, of_ops_;
};

}  // namespace stepscope
