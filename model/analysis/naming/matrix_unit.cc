#include "model/analysis/naming/matrix_unit.h"

#include "model/analysis/naming/word_parts.h"
#include "model/base/word_set.h"

namespace stepscope {
namespace {

// Products of a matrix and a vector are bound by memory; Tensor Cores of 64 bits are another
// matter; the rest is what runs beside a product.
constexpr std::string_view kNoWork[] = {"gemv_",           "_gemvx_",          "_dgemm_",
                                        "_zgemm_",         "_dot_kernel_",     "_kreduce_",
                                        "_splitk_reduce_", "_split_k_reduce_", "_im_2_col_",
                                        "_col_2_im_",      "_im_3_d_2_",       "depthwise_"};
constexpr WordSet kNoWorkSet(kNoWork);
// cuBLAS, cuDNN and CUTLASS name kernels that multiply single numbers so, and Winograd's
// transforms. rocBLAS and hipBLASLt (Cijk) name the matrix instruction if they use one.
constexpr std::string_view kWithout[] = {"_sgemm_", "_hgemm_",   "_cgemm_",      "_simt_",
                                         "_ffma_",  "_scudnn_",  "_winograd_",   "_gemmk_",
                                         "_cijk_",  "_gemm_sn_", "_naive_conv_", "_asm_conv_"};
constexpr WordSet kWithoutSet(kWithout);

}  // namespace

MatrixUnit MatrixUnitOf(std::string_view kernel, bool uses, bool eligible,
                        KernelCategories* categories) {
  if (uses) return MatrixUnit::kUsed;
  const KernelCategory category = categories->Of(kernel, "");
  const bool multiplies =
      category == KernelCategory::kGemm || category == KernelCategory::kConvolution;
  const bool may = category == KernelCategory::kAttention || category == KernelCategory::kOther;
  if (!multiplies && !(may && eligible)) return MatrixUnit::kNoWork;
  const std::string words = WordParts(kernel);
  if (kNoWorkSet.AnyIn(words)) return MatrixUnit::kNoWork;
  return kWithoutSet.AnyIn(words) ? MatrixUnit::kWithout : MatrixUnit::kUnknown;
}

}  // namespace stepscope
