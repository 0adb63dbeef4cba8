// How many bits device work computes with (docs/rules.md#precision).
#include "model/analysis/precision.h"

#include "model/analysis/precision_names.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::KinetoText;

bool AdvisesMixedPrecision(const AnalysisResult& overview) {
  for (const Finding& f : overview.findings) {
    if (f.next_step == "Try mixed precision.") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("precision: what kernels' names say") {
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

TEST_CASE("precision: what PyTorch recorded of inputs; several types say nothing") {
  CHECK(BitsOfInputTypes(R"(["c10::BFloat16","c10::BFloat16"])") == 16);
  CHECK(BitsOfInputTypes(R"(["c10::Half","long int","Scalar"])") == 16);
  CHECK(BitsOfInputTypes(R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn"])") == 8);
  CHECK(BitsOfInputTypes(R"(["float","Scalar"])") == 32);
  CHECK(BitsOfInputTypes(R"(["double"])") == 64);
  CHECK(BitsOfInputTypes(R"(["float","c10::BFloat16"])") == 0);
  CHECK(BitsOfInputTypes(R"(["long int",""])") == 0);
  CHECK(BitsOfInputTypes("") == 0);
}

TEST_CASE("precision: recorded types win over names, and no steps are needed") {
  KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10, R"("Input type":["c10::BFloat16","c10::BFloat16"])")
      .Launch(1, 2, 3)
      .Kernel("some_kernel", 1, 20, 30);
  t.Host("cpu_op", "aten::mul", 12, 8, R"("Input type":["float","float"])")
      .Launch(2, 14, 3)
      .Kernel("multiply_half_way", 2, 60, 10);  // the name misleads
  t.Host("cpu_op", "aten::mul", 22, 4).Launch(3, 23, 2).Kernel("k_bf16", 3, 70, 10);  // by name
  t.Kernel("ncclDevKernel_AllReduce_Sum_bf16", 9, 90, 50);  // computes nothing
  const AnalysisResult overview = test::Analyse("t.json", t.Text(), "overview");
  const Property* share = overview.Find("device_compute_16bit_percent");
  REQUIRE(share != nullptr);
  CHECK(std::get<double>(share->value) == doctest::Approx(80));
  CHECK_FALSE(AdvisesMixedPrecision(overview));
}

TEST_CASE("precision: mixed precision is advised to programs in 32 bits only") {
  KinetoText wide, narrow;
  for (int k = 0; k < 30; ++k) {  // enough to be judged
    wide.Kernel("volta_sgemm_128x32_nt", k + 1, 200 * k, 100);
    narrow.Kernel("nvjet_tst_128x64", k + 1, 200 * k, 100);
  }
  CHECK(AdvisesMixedPrecision(test::Analyse("t.json", wide.Text(), "overview")));
  CHECK_FALSE(AdvisesMixedPrecision(test::Analyse("t.json", narrow.Text(), "overview")));
}

}  // namespace stepscope
