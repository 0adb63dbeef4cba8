#include "model/analysis/findings/kernels/op_shapes.h"

#include <algorithm>

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
  std::vector<const Dims*> matrices;
  for (const Dims& dims : shapes.tensors) {
    if (dims.size() >= 2) matrices.push_back(&dims);
  }
  if (matrices.size() < 2) return 0;
  const Dims& a = *matrices[matrices.size() - 2];
  const Dims& b = *matrices.back();
  const int64_t inner = a.back();
  const auto last = static_cast<double>(b.back()), before = static_cast<double>(b[b.size() - 2]);
  // aten::linear has its weights transposed.
  const bool plain = b[b.size() - 2] == inner, transposed = b.back() == inner;
  if (!plain && !transposed) return 0;
  return 2 * std::max(BatchOf(a), BatchOf(b)) * static_cast<double>(a[a.size() - 2]) *
         static_cast<double>(inner) * (plain ? last : before);
}

}  // namespace stepscope
