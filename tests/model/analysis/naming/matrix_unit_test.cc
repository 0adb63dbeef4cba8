#include "model/analysis/naming/matrix_unit.h"

#include <doctest/doctest.h>

#include "model/analysis/naming/kernel_rules.h"

namespace stepscope {

TEST_CASE("names say that a kernel uses the matrix unit, that it does not, or nothing") {
  const auto of = [](const char* kernel, const char* op) {
    const bool uses = UsesMatrixUnit(kernel, GpuVendor::kUnknown);
    KernelCategories categories;
    return MatrixUnitOf(kernel, uses, uses || IsTensorCoreEligible(op, ""), &categories);
  };
  using M = MatrixUnit;
  CHECK(of("sm90_xmma_gemm_bf16bf16_bf16f32", "aten::mm") == M::kUsed);
  for (const char* name : {"volta_sgemm_128x64_nn", "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
                           "magma_sgemmEx_kernel<float>", "gemmk1_kernel<float, 256, 5>",
                           "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_stage3_ffma_aligna4",
                           "Cijk_Alik_Bljk_SB_MT64x16x16", "volta_scudnn_128x64_relu_nn_v1",
                           "cudnn::winograd_nonfused::winogradForwardData4x4<float>"}) {
    CAPTURE(name);
    CHECK(of(name, "my::op") == M::kWithout);
  }
  // Whole words only: these say nothing.
  for (const char* name : {"tiny_gemm_kernel", "simtastic_gemm_kernel", "triton_tem_fused_mm_0"}) {
    CAPTURE(name);
    CHECK(of(name, "my::op") == M::kUnknown);
  }
  CHECK(of("mystery", "aten::mm") == M::kUnknown);
  CHECK(of("mystery", "aten::scaled_dot_product_attention") == M::kUnknown);
  CHECK(of("mystery", "aten::add") == M::kNoWork);
  for (const char* name :
       {"gemv2T_kernel_val<float>", "ampere_dgemm_128x64_nn", "cublasLt::splitKreduce_kernel<32>",
        "direct_copy_kernel_cuda", "conv_depthwise2d_forward_kernel<float>"}) {
    CAPTURE(name);
    CHECK(of(name, "aten::mm") == M::kNoWork);
  }
}

TEST_CASE("aiter is a library, a waiter is none") {
  CHECK(UsesMatrixUnit("aiter::fmha_fwd_hd128_bf16", GpuVendor::kAmd));
  CHECK_FALSE(UsesMatrixUnit("stream_awaiter_kernel", GpuVendor::kAmd));
  CHECK(XprofUsesTensorCore("stream_awaiter_kernel", GpuVendor::kAmd));  // its rule goes by parts
}

}  // namespace stepscope
