#include "model/analysis/naming/kernel_category.h"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace stepscope {

TEST_CASE("categories of kernels by name, then by op") {
  using C = KernelCategory;
  static constexpr std::pair<std::string_view, C> kByName[] = {
      {"sm90_xmma_gemm_bf16bf16_bf16f32", C::kGemm},
      {"nvjet_tst_128x64", C::kGemm},
      {"Cijk_Alik_Bljk_SB_MT64x16", C::kGemm},
      {"cublasLt::splitKreduce_kernel<32>", C::kGemm},
      {"sm80_xmma_fprop_implicit_gemm_f16", C::kConvolution},
      {"cudnn::winograd_nonfused", C::kConvolution},
      {"void pytorch_flash::flash_fwd_kernel", C::kAttention},
      {"fmhaSm100aKernel_QkvBfloat16", C::kAttention},
      {"vectorized_layer_norm_kernel<c10::BFloat16>", C::kNormalisation},
      {"cudnn::bn_fw_tr_1C11", C::kNormalisation},
      {"vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>", C::kElementwise},
      {"triton_poi_fused_native_layer_norm_0", C::kElementwise},
      {"elementwise_kernel<128, direct_copy_kernel_cuda>", C::kCopy},
      {"CatArrayBatchedCopy<OpaqueType<2u>>", C::kCopy},
      {"reduce_kernel<512, 1, ReduceOp<float>>", C::kReduction},
      {"input_reduce_fusion", C::kReduction},
      {"loop_add_fusion", C::kElementwise},
      {"ncclDevKernel_AllReduce", C::kCollective},
      {"convert_something", C::kOther},
      {"fbgemm_gpu::permute_2D_data_kernel", C::kOther},
      {"fbgemm_gpu::bf16bf16_gemm", C::kGemm},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", C::kAttention},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_32", C::kAttention},
      {"void vllm::paged_attention_v2_kernel<__nv_bfloat16, 128>", C::kAttention},
      {"flashinfer::BatchDecodeWithPagedKVCacheKernel", C::kAttention},
      {"void marlin::Marlin<256, 1, 8, 8, 4, 8>(int4 const*)", C::kGemm},
      {"void gptq_marlin_repack_kernel<4, 256>", C::kCopy},
      {"void marline_sort_kernel", C::kOther},
      {"machete::device::GemmKernel", C::kGemm},
      {"kgemm_4bit_inference_naive", C::kGemm},
      {"kernel_unified_attention_2d", C::kAttention},
      {"triton_tem_fused_flex_attention_0", C::kAttention},
      {"fused_moe_kernel", C::kGemm},
      {"void vllm::moe::topkGatingSoftmax<8>", C::kReduction},
      {"reduce_kernel<512, 1, ReduceOp<float, NormTwoOps<float>>>", C::kReduction},
      {"multi_tensor_apply_kernel<LpNormFunctor<float>>", C::kReduction},
      {"distribution_elementwise_grid_stride_kernel<float, 4, normal_and_transform>",
       C::kElementwise},
      {"normal_kernel", C::kOther},
      {"void (anonymous namespace)::l2_normalize_kernel", C::kNormalisation},
      {"rms_norm_kernel<c10::BFloat16>", C::kNormalisation},
      {"reduce_kernel<512, 1, ReduceOp<float, WelfordOps<float, float, int>>>", C::kReduction},
      {"RowwiseMomentsCUDAKernel<float, float>", C::kNormalisation},
      {"flashinfer::BatchPrefillWithRaggedKVCacheKernel", C::kAttention},
      {"void gemmk1_kernel<float, 256, 5>", C::kGemm},
      {"volta_scudnn_128x64_relu_interior_nn_v1", C::kConvolution},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>", C::kGemm},
      {"cunn_SoftMaxForwardReg<float>", C::kReduction},
      {"softmax_warp_forward<float>", C::kReduction},
      {"leaky_relu_kernel", C::kElementwise},
      {"silu_and_mul_kernel", C::kElementwise},
      {"mystery", C::kOther},
      // Names that look like those of other kernels: a word of the table inside a longer one.
      {"enormous_table_lookup", C::kOther},
      {"lognormal_kernel", C::kOther},
      {"gemmology_kernel", C::kOther},
      {"scanline_fill_kernel", C::kOther},
      {"precomputed_topkey_kernel", C::kOther},
      {"madam_update_kernel", C::kOther},
      {"reducer_buckets_ready", C::kOther},
      {"convert_fp16_kernel", C::kOther},
      {"bias_add_grad_kernel", C::kOther},
      {"unfused_moean_kernel", C::kOther},
      {"inflashinfer_sdparse_kernel", C::kOther},
      {"flex_attentional_mask", C::kOther},
      {"unified_attentions_table", C::kOther},
      {"paged_attentive_gather", C::kOther},
      {"copy_kernels_list", C::kOther},
      {"memory_transposes_kernel", C::kOther},
      {"event_loop_tick", C::kOther},
      {"preluded_kernel", C::kOther},
  };
  for (const auto& [name, category] : kByName) {
    CAPTURE(name);
    CHECK(CategoryName(CategoryOfKernel(name, "")) == CategoryName(category));
  }
  CHECK(CategoryOfKernel("mystery", "aten::mm") == C::kGemm);
  CHECK(CategoryOfKernel("mystery", "aten::convolution") == C::kConvolution);
  CHECK(CategoryOfKernel("mystery", "aten::conv_transpose2d") == C::kConvolution);
  CHECK(CategoryOfKernel("mystery", "jit(f)/conv_general_dilated") == C::kConvolution);
  CHECK(CategoryOfKernel("mystery", "BiasAddGrad") == C::kOther);
  CHECK(CategoryOfKernel("mystery", "aten::_scaled_dot_product_flash_attention") == C::kAttention);
  CHECK(CategoryOfKernel("mystery", "aten::add_") == C::kElementwise);
  CHECK(CategoryOfKernel("mystery", "aten::copy_") == C::kCopy);
  CHECK(CategoryOfKernel("mystery", "aten::native_layer_norm") == C::kNormalisation);
  CHECK(CategoryOfKernel("mystery", "aten::linalg_vector_norm") == C::kReduction);
  CHECK(CategoryOfKernel("mystery", "aten::normal_") == C::kOther);
  CHECK(CategoryOfKernel("mystery", "aten::sum") == C::kReduction);
  CHECK(CategoryOfKernel("mystery", "my::op") == C::kOther);
  CHECK(CategoryOfKernel("ncclKernel", "aten::mm") ==
        C::kCollective);  // the kernel's name comes first
}

TEST_CASE("categories that are remembered are those that are asked for each time") {
  static constexpr std::string_view kKernels[] = {"mystery", "", "sm90_gemm", "loop_add_fusion",
                                                  "ncclDevKernel_AllReduce"};
  static constexpr std::string_view kOps[] = {"", "aten::mm", "my::op", "aten::copy_"};
  KernelCategories categories;
  for (int round = 0; round < 2; ++round) {
    for (const std::string_view op : kOps) {
      for (const std::string_view kernel : kKernels) {
        CAPTURE(kernel);
        CAPTURE(op);
        CHECK(CategoryName(categories.Of(kernel, op)) ==
              CategoryName(CategoryOfKernel(kernel, op)));
      }
    }
  }
}

}  // namespace stepscope
