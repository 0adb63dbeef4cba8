// Rules about GPU kernels that need nothing but text: launch parameters and Tensor Core (matrix
// unit) use. Rules and sources: docs/rules.md#kernels; checked against XProf 2.24.2.
// Pure, thread-safe, O(length).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Launch parameters, from "regs:R static_shared:S dynamic_shared:D grid:x,y,z block:x,y,z
// occ_pct:P". What is missing or no number stays 0, dimensions 1; unknown keys are ignored.
struct KernelLaunch {
  int64_t registers = 0, static_shared = 0, dynamic_shared = 0;
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  double occupancy_pct = 0;
  bool operator==(const KernelLaunch&) const = default;
};
KernelLaunch ParseKernelDetails(std::string_view details);
std::string DimText(const std::array<int64_t, 3>& dim);  // "256,1,1"

enum class GpuVendor : uint8_t { kUnknown, kNvidia, kAmd };
GpuVendor ParseVendor(std::string_view device_vendor);  // stat "device_vendor": `Nvidia`, `AMD`

// XProf's rule: substrings of the kernel's name, a list for each vendor. An unknown vendor never
// uses Tensor Cores.
bool XprofUsesTensorCore(std::string_view kernel, GpuVendor vendor);
// Ours: XProf's, and the families it does not know (nvjet, wgmma, gmma, cutlass tensorop, attention
// and batched multiplications; ck_tile's gemm and fmha and MFMA names on AMD, norms left out); with
// an unknown vendor both lists apply. Every table that says whether the unit is used asks this.
bool UsesMatrixUnit(std::string_view kernel, GpuVendor vendor);
// XProf's rule, and PyTorch's ops: could the op run on Tensor Cores? `op_name` is the framework
// op's name, `equation` an einsum's or empty.
bool IsTensorCoreEligible(std::string_view op_name, std::string_view equation);

}  // namespace stepscope
