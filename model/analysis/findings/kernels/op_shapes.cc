#include "model/analysis/findings/kernels/op_shapes.h"

#include <algorithm>
#include <optional>

#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr int64_t kMostOfDim = 1'000'000'000;  // larger dimensions are no shape
constexpr int kMostDepth = 8;                  // events around a launch that are looked at

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
      if (stat.name == "Input Dims" || stat.name == "Input dims") return ParseShapes(ToText(stat));
    }
  }
  return {};
}

double ProductFlops(const OpShapes& shapes) {
  const std::optional<MatrixProduct> product = ProductOf(shapes);
  if (!product) return 0;
  return 2 * product->elements() * static_cast<double>(product->a->back());
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
