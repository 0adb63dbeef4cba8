#include "model/analysis/naming/kernel_category.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "model/analysis/naming/collectives.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/analysis/naming/word_parts.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

// Whole words of names (model/analysis/naming/word_parts.h): "_gemm_" is a word, "gemm_" the end of
// one,
// "_norma" the begin of one. The first rule in kRules that matches wins: a copy by an elementwise
// kernel is a copy, attention multiplies too, and a GEMM that splits its sums reduces them.
constexpr std::string_view kTransposed[] = {"_conv_transpose_", "_2_d_transpose_",
                                            "_3_d_transpose_"};
constexpr std::string_view kCopy[] = {
    "_memcpy",     "_memset",        "_direct_copy_", "_copy_kernel_", "_copy_async_",
    "_cat_array_", "_catarray",      "_copy_device_", "transpose_",    "_fill_functor_",
    "_copy_cuda_", "_batched_copy_", "_repack_"};
constexpr std::string_view kAttention[] = {"_flash_fwd_",
                                           "_flash_bwd_",
                                           "_flash_attn_",
                                           "_flash_attention_",
                                           "_fmha_",
                                           "_attn_fwd_",
                                           "_attn_bwd_",
                                           "_paged_attention_",
                                           "_pagedattention_",
                                           "_efficient_attention_",
                                           "_attention_kernel_",
                                           "_scaled_dot_product_",
                                           "_attention_forward_",
                                           "_attention_backward_",
                                           "_sdpa_",
                                           "_flash_fprop_",
                                           "_flash_bprop_",
                                           "_flash_mla_",
                                           "_mha_fwd_",
                                           "_mha_bwd_",
                                           "_paged_attn_",
                                           "_unified_attention_",
                                           "_flex_attention_",
                                           "_flex_decoding_",
                                           "_paged_kv_cache_",
                                           "_ragged_kv_cache_",
                                           "_with_kv_cache_"};
// Norms of vectors, which clip gradients, and variances: sums, and no layer of a network.
constexpr std::string_view kVectorNorms[] = {
    "_norm_two_ops_", "_norm_one_ops_",   "_norm_zero_ops_", "_norm_ops_",
    "_vector_norm_",  "_matrix_norm_",    "_lp_norm_",       "_lpnorm_",
    "_foreach_norm_", "_frobenius_norm_", "_grad_norm_",     "_welford_ops_"};
constexpr std::string_view kElementwiseKernels[] = {"_elementwise_kernel_", "_triton_poi_"};
// "_normali": of normalise and normalization; a normal distribution is no norm.
constexpr std::string_view kNormalisation[] = {
    "norm_",  "_norms_",   "_norm_fwd", "_normali",          "_bn_fw",
    "_bn_bw", "_welford_", "_renorm",   "_rowwise_moments_", "_gamma_beta_backward_"};
constexpr std::string_view kConvolution[] = {
    "_convol",     "_conv_",      "_fprop_",         "_dgrad_",    "_wgrad_",
    "_im_2_col_",  "_col_2_im_",  "_implicit_gemm_", "_winograd_", "_igemm_fwd_",
    "_igemm_bwd_", "_igemm_wrw_", "_scudnn_"};
constexpr std::string_view kGemm[] = {
    "gemm_",     "_gemmk_",      "gemv_",           "_gemvx_",       "_nvjet_",
    "_cijk_",    "_bmm_",        "matmul_",         "_mat_mul_",     "_dot_kernel_",
    "_kreduce_", "_triton_tem_", "_splitk_reduce_", "_dot_general_", "_split_k_reduce_",
    "_fmoe_",    "_fused_moe_",  "_grouped_mm_",    "_flatmm_",      "_marlin_",
    "_machete_", "_kgemm_"};
constexpr std::string_view kReduction[] = {"reduce_",    "_reduction_",  "softmax_",     "_softmax",
                                           "_soft_max_", "_triton_red_", "_triton_per_", "_argmax_",
                                           "_argmin_",   "_arg_max_",    "_arg_min_",    "_cumsum_",
                                           "_cumprod_",  "_scan_",       "_topk_",       "_top_k_"};
constexpr std::string_view kElementwise[] = {
    "elementwise_", "_element_wise_", "pointwise_", "_multi_tensor_apply_", "relu_",  "gelu_",
    "silu_",        "_foreach_",      "dropout_",   "_fused_adam_",         "_adam_", "_adamw_",
    "_op_tensor_",  "_swiglu_"};
// XLA's names of fusions begin with this word.
constexpr std::string_view kLoop = "_loop_";

struct Rule {
  KernelCategory category;
  std::span<const std::string_view> words;
};
constexpr std::array kRules = {
    Rule{KernelCategory::kConvolution, kTransposed},
    Rule{KernelCategory::kCopy, kCopy},
    Rule{KernelCategory::kElementwise, kElementwiseKernels},
    Rule{KernelCategory::kAttention, kAttention},
    Rule{KernelCategory::kReduction, kVectorNorms},
    Rule{KernelCategory::kNormalisation, kNormalisation},
    Rule{KernelCategory::kConvolution, kConvolution},
    Rule{KernelCategory::kGemm, kGemm},
    Rule{KernelCategory::kReduction, kReduction},
    Rule{KernelCategory::kElementwise, kElementwise},
};

// The words of all rules, one rule after the other, so that the first word of them that a name has
// tells its rule.
constexpr size_t kRuleWordCount = [] {
  size_t count = 0;
  for (const Rule& rule : kRules) count += rule.words.size();
  return count;
}();
struct RuleWords {
  std::array<std::string_view, kRuleWordCount> words;
  std::array<KernelCategory, kRuleWordCount> categories;  // by word
};
constexpr RuleWords kRuleWords = [] {
  RuleWords all{};
  size_t next = 0;
  for (const Rule& rule : kRules) {
    for (const std::string_view word : rule.words) {
      all.words[next] = word;
      all.categories[next++] = rule.category;
    }
  }
  return all;
}();
constexpr WordSetOf<kRuleWordCount> kAnyRuleWord(kRuleWords.words);

// Erases a library's name, whose kernels do many other things than the name says.
void EraseLibrary(std::string_view library, std::string* words) {
  for (size_t at = words->find(library); at != std::string::npos; at = words->find(library, at))
    words->erase(at, library.size() - 1);
}

KernelCategory ByName(std::string_view name) {
  if (IsCollective(name)) return KernelCategory::kCollective;
  std::string words = WordParts(name);
  EraseLibrary("_fbgemm_", &words);
  const size_t word = kAnyRuleWord.First(words);
  if (word != kAnyRuleWord.kNone) return kRuleWords.categories[word];
  return words.starts_with(kLoop) ? KernelCategory::kElementwise : KernelCategory::kOther;
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

KernelCategory KernelCategories::Of(std::string_view kernel, std::string_view op) {
  // Where most names differ, a large table costs more than the names that it knows.
  constexpr size_t kMostKnown = 4096;
  for (auto* known : {&of_kernels_, &of_ops_}) {
    if (known->size() >= kMostKnown) known->clear();
  }
  const auto [of_kernel, new_kernel] = of_kernels_.try_emplace(kernel);
  if (new_kernel) of_kernel->second = ByName(kernel);
  if (of_kernel->second != KernelCategory::kOther || op.empty()) return of_kernel->second;
  const auto [of_op, new_op] = of_ops_.try_emplace(op);
  if (new_op) of_op->second = ByOp(op);
  return of_op->second;
}

KernelCategory CategoryOfKernel(std::string_view kernel, std::string_view op) {
  return KernelCategories().Of(kernel, op);
}

}  // namespace stepscope
