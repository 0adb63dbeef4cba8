// The network that the profiles of gpu_profile.h train: its operations and their kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::test {

enum class GpuModelKind : std::uint8_t {
  kHalf,         // convolution, batch normalisation and ReLU a layer, in half precision
  kFloat,        // the same in float: eligible ops without Tensor Cores, three times slower
  kTinyKernels,  // 8 kernels of 3 us in each layer
  kTensorFloat,  // kHalf in float: eligible ops with Tensor Cores, twice as slow
  kFused,        // one kernel of 24 us in each layer
  kHalfTiny,     // the last half of the layers is kTinyKernels, the others are kHalf
  kHalfFused,    // the last half of the layers is kFused, the others are kHalf
};

// One operation of the model, the same in every step.
struct OpSpec {
  std::string path;
  std::string_view type, kernel;
  int registers, shared_bytes;
  std::array<int, 3> grid, block;
  int us;
};

// An op of path "extra/TYPE", for GpuProfileOptions::extra.
OpSpec ExtraOp(std::string_view type, std::string_view kernel, double us);

std::vector<OpSpec> GpuModel(int layers, GpuModelKind kind);

// The text of the kernel_details stat.
std::string KernelDetails(const OpSpec& op);

}  // namespace stepscope::test
