#include "model/analysis/naming/kernel_rules.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("kernel details: all keys, missing keys, unknown keys, garbage") {
  const KernelLaunch full = ParseKernelDetails(
      "regs:168 static_shared:49152 dynamic_shared:16 grid:392,2,1 block:256,1,3 occ_pct:37.5");
  CHECK(full == KernelLaunch{168, 49152, 16, {392, 2, 1}, {256, 1, 3}, 37.5});
  CHECK(ParseKernelDetails("regs:1") == KernelLaunch{1, 0, 0, {1, 1, 1}, {1, 1, 1}, 0});
  CHECK(ParseKernelDetails("kernel without params") == KernelLaunch{});
  CHECK(ParseKernelDetails(" grid:2,3,4 block:5,6,7 private_mem:9 group_mem:8 occ_pct:0") ==
        KernelLaunch{0, 0, 0, {2, 3, 4}, {5, 6, 7}, 0});
  CHECK(ParseKernelDetails("regs:99999999999999999999 grid:x,2").registers == 0);
  CHECK(DimText({256, 1, 1}) == "256,1,1");
}

TEST_CASE("Tensor Core use by kernel name: XProf's lists belong to one vendor each") {
  CHECK(XprofUsesTensorCore("volta_h884gemm", GpuVendor::kNvidia));
  CHECK_FALSE(XprofUsesTensorCore("volta_h884gemm", GpuVendor::kAmd));
  CHECK_FALSE(XprofUsesTensorCore("volta_h884gemm", GpuVendor::kUnknown));
  CHECK(XprofUsesTensorCore("Cijk_MI16x16x1_x", GpuVendor::kAmd));
  CHECK_FALSE(XprofUsesTensorCore("Cijk_MI16x16_x", GpuVendor::kAmd));
  CHECK_FALSE(XprofUsesTensorCore("sgemm_128x64", GpuVendor::kNvidia));
}

TEST_CASE("matrix unit: names that XProf does not know") {
  for (const char* name :
       {"nvjet_hsh_128x256", "sm90_wgmma_k", "cutlass::gemm::tensorop", "sm90_xmma_gmma"}) {
    CHECK(UsesMatrixUnit(name, GpuVendor::kNvidia));
    CHECK_FALSE(UsesMatrixUnit(name, GpuVendor::kAmd));
  }
  CHECK_FALSE(XprofUsesTensorCore("nvjet_hsh_128x256", GpuVendor::kNvidia));
  for (const char* name : {"fmhaSm100aKernel_QkvE4m3", "bmm_Bfloat16_E4m3_t128x8",
                           "sm90_xmma_gemm_bf16bf16", "fmha_cutlassF_bf16_aligned"}) {
    CHECK(UsesMatrixUnit(name, GpuVendor::kNvidia));
  }
  for (const char* name :
       {"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_3_64x64x64_4x1x1_kernel0_"
        "0",
        "cudnn_generated_fort_native_sdpa_sm90_knob_7_64x128x128_4x1x1_kernel0_0",
        "void marlin::Marlin<256, 1, 8, 8, 4, 8>(int4 const*)", "marlin_gemm_kernel"}) {
    CAPTURE(name);
    CHECK(UsesMatrixUnit(name, GpuVendor::kNvidia));
    CHECK_FALSE(XprofUsesTensorCore(name, GpuVendor::kNvidia));
  }
  CHECK_FALSE(UsesMatrixUnit("gptq_marlin_repack_kernel", GpuVendor::kNvidia));
  for (const GpuVendor vendor : {GpuVendor::kUnknown, GpuVendor::kNvidia, GpuVendor::kAmd}) {
    CHECK(UsesMatrixUnit("void pytorch_flash::flash_fwd_kernel<>", vendor));
    CHECK(UsesMatrixUnit("flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel", vendor));
    CHECK(UsesMatrixUnit("_matmul_ogs_NNT_bf16xbf16", vendor));
    CHECK_FALSE(UsesMatrixUnit("ck_tile::Rmsnorm2dFwd<float>", vendor));
    CHECK_FALSE(UsesMatrixUnit("ck_tile::MoeSortingKernel", vendor));
  }
  const char* single =
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_ffma_aligna4_alignc4";
  CHECK_FALSE(UsesMatrixUnit(single, GpuVendor::kNvidia));
  CHECK(XprofUsesTensorCore(single, GpuVendor::kNvidia));
  CHECK(UsesMatrixUnit("ck_tile::FmhaFwdKernel", GpuVendor::kAmd));
  CHECK(UsesMatrixUnit("ck_tile::GemmKernel", GpuVendor::kAmd));
  CHECK_FALSE(UsesMatrixUnit("aiter::add_rmsnorm_quant_kernel", GpuVendor::kAmd));
  CHECK_FALSE(UsesMatrixUnit("elementwise_kernel", GpuVendor::kUnknown));
}

TEST_CASE("eligibility by op name and einsum equation") {
  CHECK(IsTensorCoreEligible("resnet/conv/Conv2D", ""));
  CHECK(IsTensorCoreEligible("logits/MatMul", ""));
  CHECK_FALSE(IsTensorCoreEligible("MatMul", ""));
  CHECK_FALSE(IsTensorCoreEligible("a/MatMul_1", ""));
  CHECK(IsTensorCoreEligible("a/BatchMatMul_3", ""));
  CHECK(IsTensorCoreEligible("jit(f)/dot_general", ""));
  CHECK(IsTensorCoreEligible("x/Einsum", "ab,bc->ac"));
  CHECK_FALSE(IsTensorCoreEligible("x/Einsum", "abc->ac"));
  CHECK_FALSE(IsTensorCoreEligible("x/Einsum", "a,b->c->d"));
  CHECK_FALSE(IsTensorCoreEligible("x/Einsum", "a,b,c->d"));
  for (const char* op :
       {"aten::mm", "aten::addmm", "aten::bmm", "aten::linear", "aten::convolution",
        "aten::cudnn_convolution", "aten::scaled_dot_product_attention",
        "aten::_scaled_dot_product_flash_attention", "aten::_scaled_mm"}) {
    CAPTURE(op);
    CHECK(IsTensorCoreEligible(op, ""));
  }
  for (const char* op : {"aten::add", "aten::mul", "aten::layer_norm", "aten::hmm"})
    CHECK_FALSE(IsTensorCoreEligible(op, ""));
}

}  // namespace stepscope
