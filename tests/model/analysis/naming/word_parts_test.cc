#include "model/analysis/naming/word_parts.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("the words of a name") {
  CHECK(WordParts("") == "_");
  CHECK(WordParts("::<>") == "_");
  CHECK(WordParts("LayerNormFwd2d<float>") == "_layer_norm_fwd_2_d_float_");
  CHECK(WordParts("sm80_xmma_gemm_f16f16") == "_sm_80_xmma_gemm_f_16_f_16_");
  CHECK(WordParts("BatchPrefillWithPagedKVCacheKernel") ==
        "_batch_prefill_with_paged_kv_cache_kernel_");
  CHECK(WordParts("at::native::(anonymous namespace)::f") == "_at_native_anonymous_namespace_f_");
  CHECK(WordParts("cutlass_80_tensorop_s1688gemm_nn") == "_cutlass_80_tensorop_s_1688_gemm_nn_");
  CHECK(WordParts("__a__") == "_a_");
  CHECK(WordParts("caf\xc3\xa9Noir") == "_caf\xc3\xa9_noir_");
}

TEST_CASE("a rule matches words, their begins and their ends, and nothing inside a longer one") {
  const auto has = [](const char* name, const char* part) {
    return WordParts(name).find(part) != std::string::npos;
  };
  CHECK(has("cutlass_80_simt_gemm", "_gemm_"));
  CHECK(has("volta_sgemm_128x64_nn", "gemm_"));
  CHECK_FALSE(has("volta_sgemm_128x64_nn", "_gemm_"));
  CHECK_FALSE(has("gemmology", "gemm_"));
  CHECK(has("gemmology", "_gemm"));
}

}  // namespace stepscope
