// The operations of dots and convolutions.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/xla/cost_context.h"

namespace stepscope::xla {
namespace {

constexpr int64_t kMostTaps = 1'000'000;  // positions that are looked at one by one

// One spatial dimension: a kernel position k and an output position o read the input at
// (o * stride + k * dilation - padding) / base_dilation, if that is a whole number inside it.
struct SpatialDimension {
  int64_t input = 0, kernel = 0, output = 0;
  int64_t stride = 1, padding = 0, dilation = 1, base_dilation = 1;
};

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The least x >= 0 with step * x = rest (mod modulus), or -1: by the extended Euclidean algorithm.
int64_t SolveCongruence(int64_t step, int64_t rest, int64_t modulus) {
  int64_t a = step % modulus, b = modulus, x = 1, y = 0;
  while (b != 0) {
    const int64_t q = a / b;
    std::tie(a, b) = std::pair(b, a - q * b);
    std::tie(x, y) = std::pair(y, x - q * y);
  }
  if (rest % a != 0) return -1;
  const int64_t reduced = modulus / a;
  const int64_t factor = (rest / a) % reduced;
  const int64_t value = static_cast<int64_t>(static_cast<__int128>(x % reduced) * factor % reduced);
  return (value + reduced) % reduced;
}

// How many of x = 0 .. count - 1 hit a whole position inside the input, when x moves by `step` from
// `offset`.
int64_t Hits(const SpatialDimension& d, int64_t offset, int64_t step, int64_t count) {
  const int64_t last = (d.input - 1) * d.base_dilation;
  const int64_t from = std::max<int64_t>(0, -FloorDiv(offset, step));
  const int64_t to = std::min(count - 1, FloorDiv(last - offset, step));
  if (from > to) return 0;
  if (d.base_dilation == 1) return to - from + 1;
  const int64_t wanted = ((-offset) % d.base_dilation + d.base_dilation) % d.base_dilation;
  const int64_t first = SolveCongruence(step, wanted, d.base_dilation);
  if (first < 0) return 0;
  const int64_t period = d.base_dilation / std::gcd(step, d.base_dilation);
  return FloorDiv(to - first, period) - FloorDiv(from - 1 - first, period);
}

// Pairs of a kernel position and an output position that read the input. O(the smaller of both).
double ValidPairs(const SpatialDimension& d) {
  if (d.input <= 0 || d.kernel <= 0 || d.output <= 0) return 0;
  const bool by_kernel = d.kernel <= d.output;
  const int64_t taps = by_kernel ? d.kernel : d.output;
  if (taps > kMostTaps) return static_cast<double>(d.kernel) * static_cast<double>(d.output);
  double pairs = 0;
  for (int64_t t = 0; t < taps; ++t) {
    const int64_t offset = t * (by_kernel ? d.dilation : d.stride) - d.padding;
    pairs += static_cast<double>(
        Hits(d, offset, by_kernel ? d.stride : d.dilation, by_kernel ? d.output : d.kernel));
  }
  return pairs;
}

// Sizes are small enough that products of two of them do not overflow.
int64_t Bounded(int64_t value) {
  constexpr int64_t kMost = int64_t{1} << 30;
  return std::clamp(value, -kMost, kMost);
}

int64_t SizeAt(const Shape& shape, int64_t dimension) {
  const bool known = dimension >= 0 && static_cast<size_t>(dimension) < shape.dimensions.size();
  return known ? Bounded(shape.dimensions[static_cast<size_t>(dimension)]) : 0;
}

int64_t At(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : -1; }

}  // namespace

double DotFlops(const Shape& left, const Shape& output, std::span<const int64_t> contracting) {
  int64_t reduced = 1;
  for (const int64_t d : contracting) {
    const bool known = d >= 0 && static_cast<size_t>(d) < left.dimensions.size();
    reduced = SaturatingProduct(reduced, known ? left.dimensions[static_cast<size_t>(d)] : 1);
  }
  return 2.0 * static_cast<double>(Elements(output)) * static_cast<double>(reduced);
}

double ConvolutionFlops(const HloModule& module, const Instruction& i) {
  const InstructionDetails& details = module.DetailsOf(i);
  const ConvolutionDimensions& dims = *details.convolution;
  const Shape& input = module.OperandShape(i, 0);
  const Shape& kernel = module.OperandShape(i, 1);
  const Shape& output = FirstArray(module.ShapeOf(i));
  const int64_t features =
      SizeAt(input, dims.input_feature) / std::max<int64_t>(1, details.feature_groups);
  const int64_t batch =
      SizeAt(input, dims.input_batch) / std::max<int64_t>(1, details.batch_groups);
  double flops = 2;
  flops *= static_cast<double>(features);
  flops *= static_cast<double>(SizeAt(output, dims.output_feature));
  flops *= static_cast<double>(batch);
  for (size_t k = 0; k < details.window.size(); ++k) {
    const WindowDimension& w = details.window[k];
    const auto positive = [](int64_t v) { return std::max<int64_t>(1, Bounded(v)); };
    flops *= ValidPairs(
        {SizeAt(input, At(dims.input_spatial, k)), SizeAt(kernel, At(dims.kernel_spatial, k)),
         SizeAt(output, At(dims.output_spatial, k)), positive(w.stride), Bounded(w.padding_low),
         positive(w.window_dilation), positive(w.base_dilation)});
  }
  return flops;
}

}  // namespace stepscope::xla
