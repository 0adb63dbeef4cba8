#include "model/analysis/naming/precision_names.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("precision: words in the names of kernels") {
  for (const char* name :
       {"Cijk_Alik_Bljk_BBS_BH_Bias_HAS", "Cijk_Ailk_Bljk_B_BS_MT64", "attn_fwd",
        "ampere_bf16_s16816gemm_bf16_128x64", "nvjet_tst_128x64", "nvjet_hsh_64x8",
        "void pytorch_flash::flash_fwd_kernel<>", "volta_h884gemm_256x64",
        "vectorized_layer_norm_kernel<c10::BFloat16, float>"}) {
    CAPTURE(name);
    CHECK(BitsOfKernel(name) == 16);
  }
  for (const char* name : {"sm90_xmma_gemm_e4m3e4m3_f32f32", "gemm_e5m2_bf16", "fp8_scaled_mm",
                           "nvjet_sm100_qqtst_128x64"}) {
    CAPTURE(name);
    CHECK(BitsOfKernel(name) == 8);
  }
  CHECK(BitsOfKernel("cutlass_nvfp4_gemm_bf16") == 4);
  CHECK(BitsOfKernel("mx_e2m1_gemm") == 4);
  for (const char* name : {"volta_sgemm_128x32_nt", "cutlass_80_tensorop_s1688gemm_128x64",
                           "Cijk_Alik_Bljk_SB_Bias", "reduce_kernel<float>", "nvjet_sss_128"}) {
    CAPTURE(name);
    CHECK(BitsOfKernel(name) == 32);
  }
  CHECK(BitsOfKernel("loop_add_fusion") == 0);
  CHECK(BitsOfKernel("nvjet_") == 0);
}

TEST_CASE("precision: PyTorch's input types tell it; types of several sizes do not") {
  CHECK(BitsOfInputTypes(R"(["c10::BFloat16","c10::BFloat16"])") == 16);
  CHECK(BitsOfInputTypes(R"(["c10::Half","long int","Scalar"])") == 16);
  CHECK(BitsOfInputTypes(R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn"])") == 8);
  CHECK(BitsOfInputTypes(R"(["float","Scalar"])") == 32);
  CHECK(BitsOfInputTypes(R"(["double"])") == 64);
  CHECK(BitsOfInputTypes(R"(["float","c10::BFloat16"])") == 0);
  CHECK(BitsOfInputTypes(R"(["long int",""])") == 0);
  CHECK(BitsOfInputTypes("") == 0);
}

}  // namespace stepscope
