// This folder says what names mean: it knows the words of frameworks, libraries and vendors, and
// nothing of time. Each header is one question about a name.
//
// This one asks about GPU kernels: launch parameters and use of the Tensor Cores
// (matrix unit). Rules and their sources: docs/rules.md#kernels; checked against XProf
// 2.24.2. Pure; any thread; O(length).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Launch parameters, parsed from "regs:R static_shared:S dynamic_shared:D grid:x,y,z block:x,y,z
// occ_pct:P". Missing or broken numbers are 0, dimensions 1; unknown keys are ignored. Shared
// memory is in bytes.
struct KernelLaunch {
  int64_t registers = 0, static_shared = 0, dynamic_shared = 0;
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  double occupancy_pct = 0;
  bool operator==(const KernelLaunch&) const = default;
};
KernelLaunch ParseKernelDetails(std::string_view details);
std::string DimText(const std::array<int64_t, 3>& dim);  // "256,1,1"

enum class GpuVendor : uint8_t { kUnknown, kNvidia, kAmd };
// `device_vendor`: the stat of that name, `Nvidia` or `AMD`.
GpuVendor ParseVendor(std::string_view device_vendor);

// XProf's rule: the kernel's name has one of the vendor's words. False for an unknown vendor.
bool XprofUsesTensorCore(std::string_view kernel, GpuVendor vendor);
// Our rule, which every table asks that says whether the unit is used: XProf's words and those of
// newer families (nvjet, wgmma, gmma, cutlass tensorop, attention and batched multiplications; on
// AMD gemm and fmha of ck_tile and MFMA names, but no norms). Both vendors' words apply where the
// vendor is unknown.
bool UsesMatrixUnit(std::string_view kernel, GpuVendor vendor);
// Whether an op could run on Tensor Cores: XProf's rule, and ours for PyTorch's ops. `op_name`: the
// framework op. `equation`: an einsum's, or empty.
bool IsTensorCoreEligible(std::string_view op_name, std::string_view equation);

}  // namespace stepscope
