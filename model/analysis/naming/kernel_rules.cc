#include "model/analysis/naming/kernel_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "model/analysis/naming/word_parts.h"
#include "model/base/ascii.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

constexpr std::string_view kNvidia[] = {"16816",
                                        "c1688",
                                        "conv1x1",
                                        "conv2d_c1_k1",
                                        "dgrad_1x1_stride_2x2",
                                        "direct_group",
                                        "first_layer_wgrad_kernel",
                                        "h1688",
                                        "h884",
                                        "hmma",
                                        "i16832",
                                        "i8816",
                                        "s884",
                                        "s1688",
                                        "xmma_gemm",
                                        "xmma_implicit_gemm",
                                        "xmma_sparse_conv",
                                        "xmma_sparse_gemm",
                                        "xmma_warp_specialized_implicit_gemm"};
constexpr WordSet kNvidiaSet(kNvidia);
constexpr std::string_view kNvidiaNewer[] = {
    "nvjet", "wgmma",   "gmma",        "tensorop",     "utcmma",       "tcgen05",
    "xmma",  "fmhaSm",  "fmha_v2",     "fmha_cutlass", "FlashAttnFwd", "FlashAttnBwd",
    "wmma",  "sdpa_sm", "flash_fprop", "flash_bprop",  "Marlin<",      "marlin_gemm"};
constexpr WordSet kNvidiaNewerSet(kNvidiaNewer);
// Attention and mixtures of experts, on GPUs of both vendors.
constexpr std::string_view kBothNewer[] = {"flash_fwd", "flash_bwd", "attn_fwd", "attn_bwd",
                                           "matmul_ogs"};
constexpr WordSet kBothNewerSet(kBothNewer);
constexpr std::string_view kAmd[] = {
    "mfma",     "wmma",     "gtcx",         "_xdl",           "gemm_fusion",
    "attn_fwd", "FMHA_FWD", "Custom_Cijk_", "TileFmhaShape<", "TileFmhaBwdShape<"};
constexpr WordSet kAmdSet(kAmd);
constexpr std::string_view kAmdNewer[] = {"MFMA", "xdlops"};
constexpr WordSet kAmdNewerSet(kAmdNewer);
// Tiles of Composable Kernel do many things; those with one of these words multiply.
constexpr std::string_view kTileParts[] = {"gemm", "Gemm",   "GEMM",   "fmha", "Fmha",
                                           "FMHA", "flatmm", "FlatMM", "conv", "Conv"};
constexpr WordSet kTilePartsSet(kTileParts);

bool EndsWithAny(std::string_view text, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view e) { return text.ends_with(e); });
}

size_t SkipDigits(std::string_view text, size_t i) {
  while (i < text.size() && IsDigit(text[i])) ++i;
  return i;
}

// Whether the name has rocBLAS's _MI<digits>x<digits>x<digits>.
bool HasMiShape(std::string_view name) {
  for (size_t at = name.find("_MI"); at != std::string_view::npos; at = name.find("_MI", at + 1)) {
    size_t i = at + 3;
    int parts = 0;
    for (; parts < 3; ++parts) {
      const size_t end = SkipDigits(name, i);
      if (end == i) break;
      i = end;
      if (parts < 2) {
        if (i >= name.size() || name[i] != 'x') break;
        ++i;
      }
    }
    if (parts == 3) return true;
  }
  return false;
}

bool NvidiaRule(std::string_view kernel) { return kNvidiaSet.AnyIn(kernel); }
bool AmdTileRule(std::string_view kernel) {
  return kernel.find("ck_tile") != std::string_view::npos && kTilePartsSet.AnyIn(kernel);
}
// Norms of aiter and ck_tile, libraries whose other kernels multiply.
bool IsNorm(std::string_view kernel) {
  static constexpr std::string_view kNorms[] = {"norm", "Norm"};
  return ContainsAny(kernel, kNorms) && !kTilePartsSet.AnyIn(kernel);
}
bool AmdRule(std::string_view kernel) { return kAmdSet.AnyIn(kernel) || HasMiShape(kernel); }
constexpr std::string_view kAiter = "aiter";  // a library of AMD; a waiter is none
bool IsOfAiter(std::string_view kernel) {
  return kernel.find(kAiter) != kernel.npos && WordParts(kernel).find("_aiter_") != kernel.npos;
}

int64_t ParseInt(std::string_view text) {
  int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc() ? v : 0;
}

void ParseDim(std::string_view text, std::array<int64_t, 3>* dim) {
  for (size_t i = 0; i < 3 && !text.empty(); ++i) {
    const size_t comma = std::min(text.find(','), text.size());
    (*dim)[i] = ParseInt(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

double ParseReal(std::string_view text) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc() ? v : 0;
}

void SetParameter(std::string_view key, std::string_view value, KernelLaunch* launch) {
  if (key == "regs") launch->registers = ParseInt(value);
  if (key == "static_shared") launch->static_shared = ParseInt(value);
  if (key == "dynamic_shared") launch->dynamic_shared = ParseInt(value);
  if (key == "grid") ParseDim(value, &launch->grid);
  if (key == "block") ParseDim(value, &launch->block);
  if (key == "occ_pct") launch->occupancy_pct = ParseReal(value);
}

// A PyTorch op without aten:: in front; also its backward op and its forms for one library.
bool IsTorchEligible(std::string_view op) {
  static constexpr std::array<std::string_view, 13> kOps = {"mm",
                                                            "addmm",
                                                            "bmm",
                                                            "baddbmm",
                                                            "addbmm",
                                                            "matmul",
                                                            "linear",
                                                            "einsum",
                                                            "_scaled_mm",
                                                            "_grouped_mm",
                                                            "_scaled_grouped_mm",
                                                            "_int_mm",
                                                            "_addmm_activation"};
  static constexpr std::string_view kTorchParts[] = {"convolution",      "conv1d",
                                                     "conv2d",           "conv3d",
                                                     "conv_transpose",   "scaled_dot_product",
                                                     "_flash_attention", "_efficient_attention",
                                                     "linear_backward"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end() || ContainsAny(op, kTorchParts);
}

bool IsEinsumOfTwo(std::string_view equation) {
  const size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos || equation.find("->", arrow + 2) != std::string_view::npos)
    return false;
  return std::count(equation.begin(), equation.begin() + static_cast<std::ptrdiff_t>(arrow), ',') ==
         1;
}

}  // namespace

KernelLaunch ParseKernelDetails(std::string_view details) {
  KernelLaunch launch;
  while (!details.empty()) {
    const size_t blank = std::min(details.find_first_of(" \n"), details.size());
    const std::string_view token = details.substr(0, blank);
    details.remove_prefix(std::min(blank + 1, details.size()));
    const size_t colon = token.find(':');
    if (colon != std::string_view::npos)
      SetParameter(token.substr(0, colon), token.substr(colon + 1), &launch);
  }
  return launch;
}

std::string DimText(const std::array<int64_t, 3>& dim) {
  return fmt::format("{},{},{}", dim[0], dim[1], dim[2]);
}

GpuVendor ParseVendor(std::string_view device_vendor) {
  if (device_vendor == "Nvidia") return GpuVendor::kNvidia;
  return device_vendor == "AMD" ? GpuVendor::kAmd : GpuVendor::kUnknown;
}

bool XprofUsesTensorCore(std::string_view kernel, GpuVendor vendor) {
  if (vendor == GpuVendor::kNvidia) return NvidiaRule(kernel);
  return vendor == GpuVendor::kAmd && (AmdRule(kernel) || kernel.find(kAiter) != kernel.npos);
}

bool UsesMatrixUnit(std::string_view kernel, GpuVendor vendor) {
  // NVIDIA's generator names the instruction: ffma multiplies and
  // adds single numbers, not matrices.
  if (kernel.find("_ffma_") != std::string_view::npos) return false;
  if (kBothNewerSet.AnyIn(kernel)) return true;
  // TensorRT-LLM's batched multiplications are named bmm_E4m3_Bfloat16...
  const bool nvidia =
      vendor != GpuVendor::kAmd &&
      (NvidiaRule(kernel) || kNvidiaNewerSet.AnyIn(kernel) || kernel.starts_with("bmm_"));
  const bool amd =
      vendor != GpuVendor::kNvidia && !IsNorm(kernel) &&
      (AmdRule(kernel) || kAmdNewerSet.AnyIn(kernel) || AmdTileRule(kernel) || IsOfAiter(kernel));
  return nvidia || amd;
}

bool IsTensorCoreEligible(std::string_view op_name, std::string_view equation) {
  static constexpr std::string_view kEnds[] = {"Conv2D",
                                               "Conv2DBackpropFilter",
                                               "Conv2DBackpropInput",
                                               "Conv3D",
                                               "DepthwiseConv2dNative",
                                               "DepthwiseConv2dNativeBackpropFilter",
                                               "DepthwiseConv2dNativeBackpropInput",
                                               "/MatMul",
                                               "FusedMatMul",
                                               "/CudnnRNN",
                                               "XlaDot",
                                               "XlaDotV2"};
  static constexpr std::string_view kParts[] = {"BatchMatMul",     "CudnnRNNV",
                                                "CudnnRNNForward", "CudnnRNNBackprop",
                                                "dot_general",     "conv_general_dilated"};
  static constexpr WordSet kPartSet(kParts);
  if (op_name.starts_with("aten::")) return IsTorchEligible(op_name.substr(6));
  return EndsWithAny(op_name, kEnds) || kPartSet.AnyIn(op_name) || IsEinsumOfTwo(equation);
}

}  // namespace stepscope
