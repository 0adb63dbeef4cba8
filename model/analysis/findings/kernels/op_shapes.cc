#include "model/analysis/findings/kernels/op_shapes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/analysis/naming/precision_names.h"
#include "model/base/ascii.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr int64_t kMostOfDim = 1'000'000'000;  // larger dimensions are no shape
constexpr int kMostDepth = 8;                  // events around a launch that are looked at
constexpr size_t kMostDecoded = 256;           // ops whose strides are read from the source
constexpr int64_t kAlignedBits = 128;
constexpr double kBlockRows = 128;

// The product of all but the last two dimensions.
double BatchOf(const Dims& dims) {
  double batch = 1;
  for (size_t i = 0; i + 2 < dims.size(); ++i) batch *= static_cast<double>(dims[i]);
  return batch;
}

// The product of the last two tensors of two or more dimensions.
struct MatrixProduct {
  const Dims* a = nullptr;
  const Dims* b = nullptr;
  int64_t columns = 0;  // of the result
  double elements() const {
    return std::max(BatchOf(*a), BatchOf(*b)) * static_cast<double>((*a)[a->size() - 2]) *
           static_cast<double>(columns);
  }
};

// Elements from one row of a matrix to the next; 0 if neither side is contiguous.
int64_t RowStride(const Dims& strides) {
  const int64_t rows = strides[strides.size() - 2], columns = strides.back();
  if (columns == 1) return rows;
  return rows == 1 ? columns : 0;
}

// The strides of the last two tensors of two or more dimensions.
bool AreUnaligned(const OpShapes& strides, int64_t elements) {
  size_t seen = 0;
  for (auto dims = strides.tensors.rbegin(); dims != strides.tensors.rend() && seen < 2; ++dims) {
    if (dims->size() < 2) continue;
    ++seen;
    if (RowStride(*dims) % elements != 0) return true;
  }
  return false;
}

// Nothing if there are no two such tensors, or their shapes do not fit each other.
std::optional<MatrixProduct> ProductOf(const OpShapes& shapes) {
  std::vector<const Dims*> matrices;
  for (const Dims& dims : shapes.tensors) {
    if (dims.size() >= 2) matrices.push_back(&dims);
  }
  if (matrices.size() < 2) return {};
  const Dims& a = *matrices[matrices.size() - 2];
  const Dims& b = *matrices.back();
  // aten::linear has its weights transposed.
  const bool plain = b[b.size() - 2] == a.back(), transposed = b.back() == a.back();
  if (!plain && !transposed) return {};
  return MatrixProduct{&a, &b, plain ? b.back() : b[b.size() - 2]};
}

}  // namespace

OpShapes ParseShapes(std::string_view text) {
  OpShapes shapes;
  shapes.text = text;
  Dims open;
  int64_t number = -1;  // -1: no digit yet
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = std::min(std::max<int64_t>(number, 0) * 10 + (c - '0'), kMostOfDim);
      continue;
    }
    if (number >= 0) open.push_back(number);
    number = -1;
    if (c != '[' && c != ']') continue;
    if (!open.empty()) shapes.tensors.push_back(std::move(open));
    open = {};
  }
  return shapes;
}

OpShapes ShapesOf(const Trace& trace, const Grouping& grouping, EventRow kernel) {
  if (!trace.source) return {};
  EventRow at = grouping.LaunchOf(kernel.value);
  for (int depth = 0; at.valid() && depth < kMostDepth; ++depth, at = Parent(trace.set, at)) {
    const Result<std::vector<Stat>> stats = trace.source->Decode(trace, at);
    if (!stats.ok()) return {};
    for (const Stat& stat : stats.value()) {
      if (stat.name != "Input Dims" && stat.name != "Input dims") continue;
      OpShapes shapes = ParseShapes(ToText(stat));
      shapes.op = at;
      return shapes;
    }
  }
  return {};
}

double ProductFlops(const OpShapes& shapes) {
  const std::optional<MatrixProduct> product = ProductOf(shapes);
  if (!product) return 0;
  return 2 * product->elements() * static_cast<double>(product->a->back());
}

double RowBlocks(const OpShapes& shapes) {
  const std::optional<MatrixProduct> product = ProductOf(shapes);
  if (!product) return 0;
  const double rows = static_cast<double>((*product->a)[product->a->size() - 2]);
  return std::max(BatchOf(*product->a), BatchOf(*product->b)) * std::ceil(rows / kBlockRows);
}

LaunchShapes::LaunchShapes(const Trace& trace, const Grouping& grouping, const StatTable& stats)
    : trace_(trace), grouping_(grouping), stats_(stats), shapes_(stats.Text(StringStat::kShape)) {}

// The innermost op around the launch that has shapes.
EventRow LaunchShapes::OpOf(EventRow kernel) const {
  EventRow at = grouping_.LaunchOf(kernel.value);
  for (int depth = 0; at.valid() && depth < kMostDepth; ++depth, at = Parent(trace_.set, at)) {
    if (shapes_.Find(at)) return at;
  }
  return {};
}

const OpShapes& LaunchShapes::Of(EventRow kernel) {
  const EventRow op = any() ? OpOf(kernel) : EventRow();
  if (!op.valid()) return none_;
  const StringId text = *shapes_.Find(op);
  const auto [found, added] = parsed_.try_emplace(text.value);
  if (added) found->second = ParseShapes(stats_.strings->View(text));
  return found->second;
}

// Read from the source, for so many ops at most.
OpShapes LaunchShapes::StridesOf(EventRow op) {
  if (!trace_.source || decoded_++ >= kMostDecoded) return {};
  const Result<std::vector<Stat>> stats = trace_.source->Decode(trace_, op);
  if (!stats.ok()) return {};
  for (const Stat& stat : stats.value()) {
    if (stat.name == "Input Strides") return ParseShapes(ToText(stat));
  }
  return {};
}

bool LaunchShapes::IsUnaligned(EventRow kernel) {
  const std::optional<MatrixProduct> product = ProductOf(Of(kernel));
  if (!product) return false;
  const EventRow op = OpOf(kernel);
  const auto types = stats_.Text(StringStat::kInputTypes).Find(op);
  const int bits = types ? BitsOfInputTypes(stats_.strings->View(*types)) : 0;
  if (bits > 32) return false;  // units of 64 bits are another matter
  const int64_t elements = kAlignedBits / (bits > 0 ? bits : 16);
  const int64_t inner = product->a->back(), columns = product->columns;
  // A product with a vector has no work for the unit.
  const bool vector = columns == 1 || (*product->a)[product->a->size() - 2] == 1;
  if (vector || (inner % elements == 0 && columns % elements == 0)) return false;
  if (columns % elements != 0) return true;
  if (const OpShapes strides = StridesOf(op); !strides.tensors.empty())
    return AreUnaligned(strides, elements);
  for (EventRow at = op; at.valid(); at = Parent(trace_.set, at)) {
    if (trace_.set.Name(at).starts_with("autograd::")) return false;
  }
  return true;
}

namespace {

// The channels that a group of a convolution reads and writes. Weights are [out, in / groups, ...],
// those of a transposed convolution [in, out / groups, ...].
std::vector<int64_t> ChannelsOf(const Dims& input, const Dims& weight) {
  if (input.size() < 3 || weight.size() != input.size() || weight[0] <= 0 || weight[1] <= 0)
    return {};
  const int64_t groups = input[1] % weight[1] == 0 ? input[1] / weight[1] : 0;
  const bool plain = groups > 0 && weight[0] % groups == 0;
  const bool transposed = input[1] == weight[0];
  const bool depthwise = groups > 1 && weight[1] == 1;  // multiplies no matrices
  if (plain && !depthwise && (!transposed || groups == 1)) return {weight[1], weight[0] / groups};
  return {};  // of a transposed one, the groups are not in the shapes
}

bool IsProduct(std::string_view op) {
  static constexpr std::string_view kOps[] = {"aten::mm",     "aten::bmm",       "aten::addmm",
                                              "aten::matmul", "aten::baddbmm",   "aten::linear",
                                              "aten::addbmm", "aten::_scaled_mm"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

}  // namespace

std::vector<int64_t> MultipliedDims(std::string_view op, const OpShapes& shapes) {
  if (op.find("conv") != op.npos) {
    // A backward op has the gradient first.
    const size_t input = op.find("backward") != op.npos ? 1 : 0;
    if (shapes.tensors.size() < input + 2) return {};
    return ChannelsOf(shapes.tensors[input], shapes.tensors[input + 1]);
  }
  const std::optional<MatrixProduct> product = IsProduct(op) ? ProductOf(shapes) : std::nullopt;
  if (!product) return {};
  return {product->a->back(), product->columns};
}

bool TakesProduct(const OpShapes& first, const OpShapes& second) {
  const std::optional<MatrixProduct> scores = ProductOf(first), values = ProductOf(second);
  if (!scores || !values) return true;
  const auto takes = [&](const Dims& dims) {
    const double elements = BatchOf(dims) * static_cast<double>(dims.back()) *
                            static_cast<double>(dims[dims.size() - 2]);
    const bool side = dims.back() == scores->columns || dims[dims.size() - 2] == scores->columns;
    return side && elements == scores->elements();
  };
  return takes(*values->a) || takes(*values->b);
}

}  // namespace stepscope
