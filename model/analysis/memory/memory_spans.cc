#include "model/analysis/memory/memory_spans.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/memory/address_table.h"

namespace stepscope {
namespace {

double Area(const AllocationSpan& s) {
  return static_cast<double>(s.bytes) * static_cast<double>(std::max<Ps>(s.end - s.begin, 1));
}

// The lowest offset at which the box fits between the boxes that are open when it begins.
int64_t LowestGap(const std::vector<AllocationSpan>& spans, const std::vector<size_t>& open,
                  int64_t bytes) {
  int64_t at = 0;
  for (size_t other : open) {
    if (spans[other].offset - at >= bytes) break;
    at = std::max(at, spans[other].offset + spans[other].bytes);
  }
  return at;
}

void Place(AllocationBoxes* boxes) {
  std::vector<AllocationSpan>& spans = boxes->spans;
  std::vector<size_t> open;  // by offset
  for (size_t i = 0; i < spans.size(); ++i) {
    std::erase_if(open, [&](size_t o) { return spans[o].end <= spans[i].begin; });
    spans[i].offset = LowestGap(spans, open, spans[i].bytes);
    boxes->top = std::max(boxes->top, spans[i].offset + spans[i].bytes);
    const auto place =
        std::upper_bound(open.begin(), open.end(), spans[i].offset,
                         [&](int64_t offset, size_t o) { return offset < spans[o].offset; });
    open.insert(place, i);
  }
}

// Names and numbers the ops, the largest first.
void NameOps(AnalysisContext& context, const AllocatorProfile& allocator, AllocationBoxes* boxes) {
  std::map<std::pair<bool, uint32_t>, double> area;
  const auto key = [&](const AllocationSpan& s) {
    const MemorySnapshot& snapshot = allocator.snapshots[s.snapshot];
    return std::pair(snapshot.op_in_trace, snapshot.op);
  };
  for (const AllocationSpan& s : boxes->spans) area[key(s)] += Area(s);
  std::vector<std::pair<double, std::pair<bool, uint32_t>>> order;
  order.reserve(area.size());
  for (const auto& [op, sum] : area) order.emplace_back(-sum, op);
  std::sort(order.begin(), order.end());
  std::map<std::pair<bool, uint32_t>, uint32_t> index;
  for (const auto& [sum, op] : order) {
    index[op] = static_cast<uint32_t>(boxes->ops.size());
    MemorySnapshot named;
    named.op_in_trace = op.first;
    named.op = op.second;
    boxes->ops.emplace_back(OpOf(context, named));
  }
  for (AllocationSpan& s : boxes->spans) s.op = index[key(s)];
}

}  // namespace

std::vector<AllocationSpan> SpansOf(const AllocatorProfile& allocator) {
  const MemorySnapshots& snapshots = allocator.snapshots;
  std::vector<AllocationSpan> spans;
  const auto made = [&](uint32_t i) {
    const MemorySnapshot& s = snapshots[i];
    spans.push_back({s.time, snapshots.back().time, s.bytes, 0, i, s.row, 0, false});
    return static_cast<uint32_t>(spans.size() - 1);
  };
  PairByAddress(allocator, made, [&](uint32_t span, uint32_t i) {
    spans[span].end = snapshots[i].time;
    spans[span].freed = true;
  });
  return spans;
}

AllocationBoxes MakeAllocationBoxes(AnalysisContext& context, const AllocatorProfile& allocator,
                                    size_t most) {
  AllocationBoxes boxes;
  boxes.spans = SpansOf(allocator);
  std::erase_if(boxes.spans, [](const AllocationSpan& s) { return s.bytes <= 0; });
  if (boxes.spans.size() > most) {
    boxes.left_out = boxes.spans.size() - most;
    std::nth_element(boxes.spans.begin(), boxes.spans.begin() + static_cast<std::ptrdiff_t>(most),
                     boxes.spans.end(),
                     [](const auto& a, const auto& b) { return Area(a) > Area(b); });
    boxes.spans.resize(most);
  }
  std::sort(boxes.spans.begin(), boxes.spans.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.row) < std::pair(b.begin, b.row);
  });
  NameOps(context, allocator, &boxes);
  Place(&boxes);
  return boxes;
}

}  // namespace stepscope
