// The rules of the cost model by opcode, but those of fusions, collectives and custom calls.
#include <algorithm>
#include <bit>
#include <cmath>

#include "model/xla/cost_context.h"

namespace stepscope::xla {
namespace {

// Replaces the bytes of the default rule: what operand k reads is `read`.
void ReadOnly(const CostContext& c, const Instruction& i, size_t k, double read, Cost* cost) {
  const Shape& shape = c.module.OperandShape(i, k);
  const double whole = c.Bytes(shape);
  cost->bytes += read - whole;
  if (shape.memory_space != 0) cost->elsewhere += read - whole;
  if (shape.memory_space == 0 && !shape.is_tuple()) cost->read += read - whole;
}

Cost Elementwise(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const double n = ElementsOf(c.module.ShapeOf(i));
  if (c.gpu()) {
    cost.flops = n * GpuCycles(i.opcode, c.module.ShapeOf(i).type);
  } else if (ElementwiseOf(i.opcode) == ElementwiseKind::kTranscendental) {
    cost.transcendentals = n;
  } else {
    cost.flops = n;
  }
  return cost;
}

// Adds what the applied computation k computes, `times` times.
void Apply(const CostContext& c, const Instruction& i, size_t k, double times, Cost* cost) {
  const Cost applied = c.Called(i, k);
  cost->flops += applied.flops * std::max(0.0, times);
  cost->transcendentals += applied.transcendentals * std::max(0.0, times);
}

Cost Reduce(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const double out = ElementsOf(FirstArray(c.module.ShapeOf(i)));
  Apply(c, i, 0, ElementsOf(c.module.OperandShape(i, 0)) - out, &cost);
  if (!c.gpu()) return cost;
  // XLA reads the initial value for each element of the output.
  for (size_t k = i.operands.count / 2; k < i.operands.count; ++k)
    ReadOnly(c, i, k, c.OperandBytes(i, k) * out, &cost);
  return cost;
}

// A window that covers a whole dimension and all its padding is a running sum, which XLA counts
// like that.
bool IsRunningSum(const std::vector<WindowDimension>& window, const Shape& shape, size_t* at) {
  size_t windowed = 0, padded = 0, found = 0;
  for (size_t k = 0; k < window.size(); ++k) {
    const WindowDimension& w = window[k];
    windowed += w.size != 1;
    padded += w.padding_low != 0 || w.padding_high != 0;
    const bool here = w.size != 1 && w.padding_low > 0 && w.padding_low == w.padding_high &&
                      w.padding_low < kMostElements && w.size == 2 * w.padding_low + 1 &&
                      k < shape.dimensions.size() && w.padding_low == shape.dimensions[k] - 1;
    if (!here) continue;
    ++found;
    *at = k;
  }
  return windowed == 1 && padded == 1 && found == 1;
}

double WindowElements(const std::vector<WindowDimension>& window) {
  int64_t n = 1;
  for (const WindowDimension& w : window) n = SaturatingProduct(n, w.size);
  return static_cast<double>(n);
}

Cost ReduceWindow(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const Shape& shape = c.module.ShapeOf(i);
  const Shape& array = FirstArray(shape);
  const std::vector<WindowDimension>& window = c.module.DetailsOf(i).window;
  double times = (WindowElements(window) - 1) * ElementsOf(array);
  size_t k = 0;
  if (!shape.is_tuple() && IsRunningSum(window, shape, &k)) {
    const double size = static_cast<double>(shape.dimensions[k]);
    times = ElementsOf(array) / size + size - 1;
  }
  Apply(c, i, 0, times, &cost);
  return cost;
}

Cost SelectAndScatter(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const double source = ElementsOf(c.module.OperandShape(i, 1));
  Apply(c, i, 0, source * (WindowElements(c.module.DetailsOf(i).window) - 1), &cost);
  Apply(c, i, 1, source, &cost);
  return cost;
}

// Bytes of an instruction that touches only a part of its first operand.
Cost Partial(const CostContext& c, const Instruction& i, double first_operand, size_t counted) {
  Cost cost = DefaultCost(c, i);
  ReadOnly(c, i, 0, first_operand, &cost);
  for (size_t k = 1; k < i.operands.count; ++k) {
    if (k != counted) ReadOnly(c, i, k, 0, &cost);
  }
  return cost;
}

Cost DynamicUpdateSlice(const CostContext& c, const Instruction& i) {
  const double update = c.OperandBytes(i, 1);
  Cost cost;
  cost.bytes = 2 * update + c.OperandBytes(i, 2);
  const bool main = c.module.ShapeOf(i).memory_space == 0;
  if (!main) cost.elsewhere = cost.bytes;
  if (!main) return cost;
  cost.read = update + c.OperandBytes(i, 2);
  cost.written = update;
  return cost;
}

Cost Scatter(const CostContext& c, const Instruction& i) {
  Cost cost;
  const size_t inputs = i.operands.count == 0 ? 0 : (i.operands.count - 1) / 2;
  double updates = 0;
  for (size_t k = inputs + 1; k < i.operands.count; ++k) updates += c.OperandBytes(i, k);
  const double indices = c.OperandBytes(i, inputs);
  cost.bytes = 3 * updates + indices;
  cost.read = 2 * updates + indices;
  cost.written = updates;
  Apply(c, i, 0, ElementsOf(c.module.OperandShape(i, inputs + 1)), &cost);
  return cost;
}

Cost Sort(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  const int64_t n = Elements(c.module.OperandShape(i, 0));
  const int rounds = n > 1 ? static_cast<int>(std::bit_width(static_cast<uint64_t>(n - 1))) : 0;
  cost.flops = static_cast<double>(n) * rounds;
  return cost;
}

Cost Fft(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  double rounds = 1;
  for (const int64_t length : c.module.DetailsOf(i).part->fft_length)
    rounds *=
        length > 0 ? static_cast<double>(std::bit_width(static_cast<uint64_t>(length)) - 1) : 0;
  cost.flops = 8 * rounds * ElementsOf(c.module.OperandShape(i, 0));
  return cost;
}

// Rows of the left operand belong to one group each, so groups cost nothing more. Where the
// contracted dimension is divided into groups, the output's first dimension after those of the
// batch counts them.
Cost RaggedDot(const CostContext& c, const Instruction& i) {
  const DotDimensions& dot = *c.module.DetailsOf(i).dot;
  Shape out = c.module.ShapeOf(i);
  const bool contracted = std::any_of(dot.lhs_ragged.begin(), dot.lhs_ragged.end(), [&](int64_t d) {
    return std::find(dot.lhs_contracting.begin(), dot.lhs_contracting.end(), d) !=
           dot.lhs_contracting.end();
  });
  if (contracted && dot.lhs_batch.size() < out.dimensions.size())
    out.dimensions.erase(out.dimensions.begin() +
                         static_cast<std::ptrdiff_t>(dot.lhs_batch.size()));
  Cost cost = DefaultCost(c, i);
  cost.flops = DotFlops(c.module.OperandShape(i, 0), out, dot.lhs_contracting);
  return cost;
}

double LastDimension(const Shape& shape) {
  return shape.dimensions.empty() ? 0 : static_cast<double>(shape.dimensions.back());
}

Cost TriangularSolve(const CostContext& c, const Instruction& i) {
  Cost cost = Partial(c, i, c.OperandBytes(i, 0) / 2, 1);
  cost.flops =
      2 * LastDimension(c.module.OperandShape(i, 0)) * ElementsOf(c.module.OperandShape(i, 1));
  return cost;
}

Cost Cholesky(const CostContext& c, const Instruction& i) {
  Cost cost;
  const Shape& a = c.module.OperandShape(i, 0);
  cost.bytes = c.Bytes(a);
  cost.read = cost.written = cost.bytes / 2;
  cost.flops = LastDimension(a) * ElementsOf(a) / 3;
  return cost;
}

Cost Concatenate(const CostContext& c, const Instruction& i) {
  Cost cost = DefaultCost(c, i);
  if (!c.gpu()) return cost;
  const std::vector<int64_t>& dimensions = c.module.DetailsOf(i).dimensions;
  const int64_t d = dimensions.empty() ? 0 : dimensions.front();
  const std::vector<int64_t>& sizes = c.module.OperandShape(i, 0).dimensions;
  const bool uneven =
      d > 0 && static_cast<size_t>(d) < sizes.size() && sizes[static_cast<size_t>(d)] % 32 != 0;
  cost.flops = (uneven ? 400 : 6) * ElementsOf(c.module.ShapeOf(i));
  return cost;
}

// Whether the transpose only renames dimensions: the bytes stay where they are.
bool TransposeIsBitcast(const CostContext& c, const Instruction& i) {
  const Shape &in = c.module.OperandShape(i, 0), &out = c.module.ShapeOf(i);
  const std::vector<int64_t>& dimensions = c.module.DetailsOf(i).dimensions;
  if (in.type != out.type || in.minor_to_major.size() != out.minor_to_major.size()) return false;
  for (size_t k = 0; k < out.minor_to_major.size(); ++k) {
    const int64_t d = out.minor_to_major[k];
    if (d < 0 || static_cast<size_t>(d) >= dimensions.size()) return false;
    if (dimensions[static_cast<size_t>(d)] != in.minor_to_major[k]) return false;
  }
  return true;
}

Cost Conditional(const CostContext& c, const Instruction& i) {
  Cost most;
  for (size_t k = 0; k < i.called.count; ++k) {
    const Cost branch = c.Called(i, k);
    most.flops = std::max(most.flops, branch.flops);
    most.transcendentals = std::max(most.transcendentals, branch.transcendentals);
    most.bytes = std::max(most.bytes, branch.bytes);
    most.read = std::max(most.read, branch.read);
    most.written = std::max(most.written, branch.written);
    most.elsewhere = std::max(most.elsewhere, branch.elsewhere);
  }
  return most;
}

Cost AllCalled(const CostContext& c, const Instruction& i) {
  Cost sum;
  for (size_t k = 0; k < i.called.count; ++k) sum += c.Called(i, k);
  return sum;
}

Cost AsyncStart(const CostContext& c, const Instruction& i) {
  Cost cost = AllCalled(c, i);
  if (!c.gpu()) return cost;
  const Computation* called = c.module.FirstCalled(i);
  const Instruction* root = called == nullptr ? nullptr : c.module.RootOf(*called);
  if (root == nullptr || root->opcode != Op("reduce-scatter")) cost.flops = 0;
  return cost;
}

// `base` with operations.
Cost WithFlops(Cost base, double flops) {
  base.flops = flops;
  return base;
}

Cost WithTranscendentals(Cost base, double count) {
  base.transcendentals = count;
  return base;
}

Cost Tuple(const CostContext& c, const Instruction& i) {
  Cost cost;
  cost.bytes = c.Bytes(c.module.ShapeOf(i));
  return cost;
}

Cost Outfeed(const CostContext& c, const Instruction& i) {
  Cost cost;
  for (size_t k = 0; k < i.operands.count; ++k)
    cost.bytes += static_cast<double>(LeafBytes(c.module.OperandShape(i, k)));
  return cost;
}

Cost Infeed(const CostContext& c, const Instruction& i) {
  Cost cost;
  cost.bytes = static_cast<double>(LeafBytes(c.module.ShapeOf(i)));
  return cost;
}

// Opcodes that compute. nullopt: another one.
std::optional<Cost> Computing(const CostContext& c, const Instruction& i) {
  const Shape& out = c.module.ShapeOf(i);
  switch (i.opcode) {
    case Op("dot"):
    case Op("scaled-dot"):
      return WithFlops(DefaultCost(c, i), DotFlops(c.module.OperandShape(i, 0), out,
                                                   c.module.DetailsOf(i).dot->lhs_contracting));
    case Op("ragged-dot"):
      return RaggedDot(c, i);
    case Op("convolution"):
      return WithFlops(DefaultCost(c, i), ConvolutionFlops(c.module, i));
    case Op("reduce"):
      return Reduce(c, i);
    case Op("reduce-window"):
      return ReduceWindow(c, i);
    case Op("select-and-scatter"):
      return SelectAndScatter(c, i);
    case Op("scatter"):
      return Scatter(c, i);
    case Op("map"):
    case Op("scan"): {
      Cost cost = DefaultCost(c, i);
      Apply(c, i, 0, ElementsOf(FirstArray(out)), &cost);
      return cost;
    }
    case Op("sort"):
      return Sort(c, i);
    case Op("fft"):
      return Fft(c, i);
    case Op("triangular-solve"):
      return TriangularSolve(c, i);
    case Op("cholesky"):
      return Cholesky(c, i);
    case Op("rng"):
    case Op("rng-bit-generator"):
      return WithTranscendentals(DefaultCost(c, i), static_cast<double>(LeafElements(out)));
    default:
      return std::nullopt;
  }
}

// Opcodes that only move bytes, or nothing.
std::optional<Cost> Moving(const CostContext& c, const Instruction& i) {
  const double out = c.Bytes(c.module.ShapeOf(i));
  switch (i.opcode) {
    case Op("slice"):
      return Partial(c, i, out, 0);
    case Op("dynamic-slice"):
    case Op("gather"):
      return Partial(c, i, out, 1);
    case Op("dynamic-update-slice"):
      return DynamicUpdateSlice(c, i);
    case Op("concatenate"):
      return Concatenate(c, i);
    case Op("transpose"):
      return TransposeIsBitcast(c, i) ? Cost() : DefaultCost(c, i);
    case Op("bitcast"):
    case Op("parameter"):
    case Op("constant"):
    case Op("get-tuple-element"):
    case Op("after-all"):
    case Op("add-dependency"):
    case Op("domain"):
      return Cost();
    case Op("tuple"):
      return Tuple(c, i);
    case Op("infeed"):
      return Infeed(c, i);
    case Op("outfeed"):
      return Outfeed(c, i);
    case Op("while"):
    case Op("call"):
      return AllCalled(c, i);
    case Op("conditional"):
      return Conditional(c, i);
    case Op("async-start"):
      return AsyncStart(c, i);
    default:
      return std::nullopt;
  }
}

}  // namespace

Cost DefaultCost(const CostContext& c, const Instruction& i) {
  Cost cost;
  const Shape& out = c.module.ShapeOf(i);
  cost.bytes = static_cast<double>(LeafBytes(out));
  if (!out.is_tuple()) (out.memory_space == 0 ? cost.written : cost.elsewhere) = cost.bytes;
  for (size_t k = 0; k < i.operands.count; ++k) {
    const Shape& shape = c.module.OperandShape(i, k);
    const double bytes = c.Bytes(shape);
    cost.bytes += bytes;
    if (!shape.is_tuple()) (shape.memory_space == 0 ? cost.read : cost.elsewhere) += bytes;
  }
  return cost;
}

std::optional<Cost> RuleCost(const CostContext& c, const Instruction& i) {
  if (ElementwiseOf(i.opcode) != ElementwiseKind::kNone) return Elementwise(c, i);
  if (i.opcode == Op("custom-call")) return CustomCallCost(c, i);
  if (i.opcode == kUnknownOpcode) return std::nullopt;
  if (auto cost = Computing(c, i)) return cost;
  if (auto cost = Moving(c, i)) return cost;
  if (auto cost = CollectiveCost(c, i)) return cost;
  return DefaultCost(c, i);
}

}  // namespace stepscope::xla
