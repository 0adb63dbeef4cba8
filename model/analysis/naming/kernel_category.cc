#include "model/analysis/naming/kernel_category.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/analysis/naming/collectives.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/base/lower.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

// Words in lower case. The first rule in kRules that matches wins: a copy by an elementwise kernel
// is a copy, attention multiplies too, and a GEMM that splits its sums reduces them.
constexpr std::string_view kCopy[] = {"memcpy",      "memset",       "direct_copy", "copy_kernel",
                                      "catarray",    "copydeviceto", "transpose",   "fillfunctor",
                                      "copy_device", "_copy_"};
constexpr std::string_view kAttention[] = {"flash_fwd",
                                           "flash_bwd",
                                           "flashattn",
                                           "flash_attention",
                                           "fmha",
                                           "attn_fwd",
                                           "attn_bwd",
                                           "paged_attention",
                                           "efficient_attention",
                                           "attention_kernel",
                                           "scaled_dot_product",
                                           "_attention_forward",
                                           "_attention_backward",
                                           "_sdpa_",
                                           "flash_fprop",
                                           "flash_bprop",
                                           "flash_mla",
                                           "mha_fwd",
                                           "mha_bwd",
                                           "paged_attn",
                                           "pagedattention",
                                           "unified_attention",
                                           "flex_attention",
                                           "flex_decoding",
                                           "withpagedkvcache",
                                           "prefillwithkvcache",
                                           "decodewithkvcache"};
// Norms of vectors, which clip gradients: sums of squares, and no layer of a network.
constexpr std::string_view kVectorNorms[] = {"normtwoops", "normoneops",    "normzeroops",
                                             "normops",    "vector_norm",   "matrix_norm",
                                             "lpnorm",     "_foreach_norm", "frobenius_norm"};
constexpr std::string_view kElementwiseKernels[] = {"elementwise_kernel", "triton_poi_"};
constexpr std::string_view kNormalisation[] = {"norm", "bn_fw", "bn_bw", "welford"};
constexpr std::string_view kConvolution[] = {"convol",   "conv1d",        "conv2d",    "conv3d",
                                             "fprop",    "dgrad",         "wgrad",     "im2col",
                                             "col2im",   "implicit_gemm", "winograd",  "naive_conv",
                                             "conv_fwd", "conv_bwd",      "igemm_fwd", "igemm_bwd"};
constexpr std::string_view kGemm[] = {
    "gemm",         "gemv",        "nvjet",       "cijk_",     "bmm_", "matmul",    "dot_kernel",
    "splitkreduce", "triton_tem_", "dot_general", "fused_moe", "fmoe", "grouped_mm"};
constexpr std::string_view kReduction[] = {"reduce",      "reduction", "softmax", "triton_red_",
                                           "triton_per_", "argmax",    "argmin",  "cumsum",
                                           "scan",        "topk"};
constexpr std::string_view kElementwise[] = {
    "elementwise", "pointwise", "multi_tensor_apply", "loop_", "relu",    "gelu", "silu",
    "_foreach_",   "dropout",   "fused_adam",         "adam",  "optensor"};

struct Rule {
  KernelCategory category;
  WordSet words;
};
constexpr std::array kRules = {
    Rule{KernelCategory::kCopy, WordSet(kCopy)},
    Rule{KernelCategory::kElementwise, WordSet(kElementwiseKernels)},
    Rule{KernelCategory::kAttention, WordSet(kAttention)},
    Rule{KernelCategory::kReduction, WordSet(kVectorNorms)},
    Rule{KernelCategory::kNormalisation, WordSet(kNormalisation)},
    Rule{KernelCategory::kConvolution, WordSet(kConvolution)},
    Rule{KernelCategory::kGemm, WordSet(kGemm)},
    Rule{KernelCategory::kReduction, WordSet(kReduction)},
    Rule{KernelCategory::kElementwise, WordSet(kElementwise)},
};

void Erase(std::string_view part, std::string* text) {
  for (size_t at = text->find(part); at != std::string::npos; at = text->find(part, at))
    text->erase(at, part.size());
}

// Erases "normal" where it is the distribution, of which random numbers are drawn.
void EraseNormal(std::string* text) {
  constexpr std::string_view kNormal = "normal";
  for (size_t at = text->find(kNormal); at != std::string::npos; at = text->find(kNormal, at)) {
    const std::string_view rest = std::string_view(*text).substr(at + kNormal.size());
    if (rest.starts_with("i")) {  // normalise, normalization
      at += kNormal.size();
    } else {
      text->erase(at, kNormal.size());
    }
  }
}

KernelCategory ByName(std::string_view name) {
  if (IsCollective(name)) return KernelCategory::kCollective;
  std::string lower = Lower(name);
  Erase("fbgemm", &lower);  // a library, whose kernels do many other things
  EraseNormal(&lower);
  for (const Rule& rule : kRules) {
    if (rule.words.AnyIn(lower)) return rule.category;
  }
  return KernelCategory::kOther;
}

// By the name of an op of PyTorch, TensorFlow or JAX, where no word for kernels is in it.
KernelCategory ByOp(std::string_view op) {
  const KernelCategory named = ByName(op);
  if (named != KernelCategory::kOther) return named;
  if (IsTensorCoreEligible(op, "")) return KernelCategory::kGemm;
  const std::string_view plain = op.substr(op.rfind(':') == op.npos ? 0 : op.rfind(':') + 1);
  const std::string_view bare = plain.ends_with('_') ? plain.substr(0, plain.size() - 1) : plain;
  static constexpr std::array<std::string_view, 12> kPlain = {
      "add", "sub", "mul", "div", "neg", "exp", "pow", "sqrt", "rsqrt", "tanh", "sigmoid", "where"};
  static constexpr std::array<std::string_view, 6> kCopies = {"copy", "cat",   "fill",
                                                              "zero", "clone", "contiguous"};
  static constexpr std::array<std::string_view, 5> kSums = {"sum", "mean", "max", "min", "var"};
  const auto is = [&](const auto& names) {
    return std::find(names.begin(), names.end(), bare) != names.end();
  };
  if (is(kPlain)) return KernelCategory::kElementwise;
  if (is(kCopies)) return KernelCategory::kCopy;
  return is(kSums) ? KernelCategory::kReduction : KernelCategory::kOther;
}

}  // namespace

const char* CategoryName(KernelCategory category) {
  static constexpr std::array<const char*, static_cast<size_t>(KernelCategory::kCount)> kNames = {
      "GEMM",      "Convolution", "Attention",  "Normalisation", "Elementwise",
      "Reduction", "Copy",        "Collective", "Other"};
  return kNames[static_cast<size_t>(category)];
}

KernelCategory CategoryOfKernel(std::string_view kernel, std::string_view op) {
  const KernelCategory named = ByName(kernel);
  return named != KernelCategory::kOther || op.empty() ? named : ByOp(op);
}

}  // namespace stepscope
