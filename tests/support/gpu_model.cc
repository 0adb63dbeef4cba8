#include "tests/support/gpu_model.h"

#include <algorithm>

namespace stepscope::test {
namespace {

constexpr std::string_view kConvHalf =
    "ampere_fp16_s16816fprop_optimized_fp16_128x128_ldg8_f2f_stages_32x5_nhwc_t1r3s3_execute_"
    "kernel__5x_cudnn";
constexpr std::string_view kConvFloat =
    "void cudnn::cnn::implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, "
    "true>(int, int, int, float const*, int, float*)";
constexpr std::string_view kConvTensorFloat =
    "ampere_tf32_s1688fprop_optimized_tf32_128x128_ldg4_stages_32x5_nhwc";
constexpr std::string_view kGemmTensorFloat = "ampere_tf32_s1688gemm_tf32_128x64_ldg4_nn";
constexpr std::string_view kGemmHalf = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_nn";
constexpr std::string_view kGemmFloat = "ampere_sgemm_128x64_nn";
constexpr std::string_view kNormHalf =
    "void cudnn::bn_fw_tr_1C11_singleread<__half, 512, true, 1, 2, 0>(cudnnTensorStruct, __half "
    "const*, cudnnTensorStruct, __half*)";
constexpr std::string_view kNormFloat =
    "void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnnTensorStruct, float "
    "const*, cudnnTensorStruct, float*)";
constexpr std::string_view kReluHalf =
    "void "
    "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::"
    "TensorMap<Eigen::Tensor<Eigen::half, 1, 1, long>, 16>>>>(long)";
constexpr std::string_view kReluFloat =
    "void "
    "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::"
    "TensorMap<Eigen::Tensor<float, 1, 1, long>, 16>>>>(long)";

// How many tiny kernels a layer is made of; 0: the layer has a convolution.
int TinyIn(GpuModelKind kind, bool last_half) {
  switch (kind) {
    case GpuModelKind::kTinyKernels:
      return 8;
    case GpuModelKind::kFused:
      return 1;
    case GpuModelKind::kHalfTiny:
      return last_half ? 8 : 0;
    case GpuModelKind::kHalfFused:
      return last_half ? 1 : 0;
    default:
      return 0;
  }
}

std::string Dims(const std::array<int, 3>& dims) {
  return std::to_string(dims[0]) + ',' + std::to_string(dims[1]) + ',' + std::to_string(dims[2]);
}

}  // namespace

std::vector<OpSpec> GpuModel(int layers, GpuModelKind kind) {
  using Kind = GpuModelKind;
  const bool fp32 = kind == Kind::kFloat, tf32 = kind == Kind::kTensorFloat;
  const int factor = fp32 ? 3 : tf32 ? 2 : 1;
  std::vector<OpSpec> ops;
  for (int i = 0; i < layers; ++i) {
    const std::string scope =
        "resnet/stage" + std::to_string(i / 10) + "/block" + std::to_string(i % 10);
    const int tiny = TinyIn(kind, 2 * i >= layers);
    for (int k = 0; k < tiny; ++k) {
      ops.push_back({scope + "/Mul_" + std::to_string(k),
                     "Mul",
                     kReluHalf,
                     20,
                     0,
                     {4, 1, 1},
                     {256, 1, 1},
                     24 / tiny});
    }
    if (tiny > 0) continue;
    ops.push_back({scope + "/conv/Conv2D",
                   "Conv2D",
                   fp32   ? kConvFloat
                   : tf32 ? kConvTensorFloat
                          : kConvHalf,
                   168,
                   49152,
                   {std::max(1, 392 - i), 2, 1},
                   {256, 1, 1},
                   (90 + i % 7 * 8) * factor});
    ops.push_back({scope + "/bn/FusedBatchNormV3",
                   "FusedBatchNormV3",
                   fp32 || tf32 ? kNormFloat : kNormHalf,
                   48,
                   2048,
                   {256, 1, 1},
                   {512, 1, 1},
                   22});
    ops.push_back({scope + "/relu/Relu",
                   "Relu",
                   fp32 || tf32 ? kReluFloat : kReluHalf,
                   16,
                   0,
                   {640, 1, 1},
                   {1024, 1, 1},
                   9});
  }
  ops.push_back({"resnet/logits/MatMul",
                 "MatMul",
                 fp32   ? kGemmFloat
                 : tf32 ? kGemmTensorFloat
                        : kGemmHalf,
                 128,
                 32768,
                 {8, 16, 1},
                 {128, 1, 1},
                 60 * factor});
  return ops;
}

OpSpec ExtraOp(std::string_view type, std::string_view kernel, double us) {
  return {"extra/" + std::string(type), type, kernel, 32, 0, {64, 1, 1}, {256, 1, 1},
          static_cast<int>(us)};
}

std::string KernelDetails(const OpSpec& op) {
  return "regs:" + std::to_string(op.registers) +
         " static_shared:" + std::to_string(op.shared_bytes) +
         " dynamic_shared:0 grid:" + Dims(op.grid) + " block:" + Dims(op.block) + " occ_pct:50";
}

}  // namespace stepscope::test
