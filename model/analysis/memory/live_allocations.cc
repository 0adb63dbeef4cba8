#include "model/analysis/memory/live_allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/memory/address_table.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

// Reads the texts and sizes of an allocation event.
LiveAllocation DescribeAllocation(const Trace& trace, const StatTable& stats, uint32_t row) {
  const auto text = [&](StringStat s) {
    return std::string(
        stats.strings->View(stats.Text(s).Find(EventRow(row)).value_or(StringId(0))));
  };
  LiveAllocation a;
  a.op = text(StringStat::kTfOp);
  if (a.op.empty() && CapabilitiesOf(trace).event_categories)
    a.op = trace.names().strings.View(EnclosingOp(trace, row));
  a.region = text(StringStat::kRegionType);
  a.shape = text(StringStat::kTensorShape);
  const std::optional<int64_t> type = stats.Int(IntStat::kDataType).Find(EventRow(row));
  if (type) a.type = DataTypeName(*type);
  const int64_t bytes = stats.Int(IntStat::kBytes).Find(EventRow(row)).value_or(0);
  a.allocated = stats.Int(IntStat::kAllocationBytes).Find(EventRow(row)).value_or(bytes);
  a.requested = stats.Int(IntStat::kRequestedBytes).Find(EventRow(row)).value_or(a.allocated);
  a.rows = EventRows({EventRow(row)});
  return a;
}

void MergeEqual(std::vector<LiveAllocation>* live) {
  const auto key = [](const LiveAllocation& a) {
    return std::tuple(-a.allocated, -a.requested, std::string_view(a.op),
                      std::string_view(a.region), std::string_view(a.type),
                      std::string_view(a.shape));
  };
  std::stable_sort(live->begin(), live->end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<LiveAllocation> merged;
  for (size_t i = 0, end = 0; i < live->size(); i = end) {
    LiveAllocation& first = merged.emplace_back(std::move((*live)[i]));
    std::vector<EventRow> rows(first.rows.begin(), first.rows.end());
    for (end = i + 1; end < live->size() && key((*live)[end]) == key(first); ++end) {
      first.count += (*live)[end].count;
      rows.insert(rows.end(), (*live)[end].rows.begin(), (*live)[end].rows.end());
    }
    if (rows.size() > 1) first.rows = EventRows(std::move(rows));
  }
  *live = std::move(merged);
}

}  // namespace

std::vector<LiveAllocation> ActiveAt(AnalysisContext& context, const AllocatorProfile& allocator,
                                     size_t index) {
  const StatTable& stats = context.allocation_stats();
  const bool step_only = context.xprof().live_in_peak_step_only;
  const MemorySnapshot& at = allocator.snapshots[index];
  int32_t step = at.step;
  size_t end = index + 1;
  if (step_only) {  // the last snapshot with as much in use decides; events at its time count
    for (const MemorySnapshot& s : allocator.snapshots)
      step = s.in_use == at.in_use ? s.step : step;
    while (end < allocator.snapshots.size() && allocator.snapshots[end].time <= at.time) ++end;
  }
  AddressTable open;
  const MemoryParts parts = MemoryPartsReader(stats).Of(at);
  int64_t unexplained = parts.heap, unmatched = 0;
  for (size_t i = 0; i < end; ++i) {
    CheckStop();
    const MemorySnapshot& s = allocator.snapshots[i];
    if (step_only && s.step != step) continue;
    uint32_t& row = open.Of(s.address);
    if (s.allocation) {
      row = s.row;
      unexplained -= s.bytes;
    } else {
      if (std::exchange(row, AddressTable::kNone) == AddressTable::kNone) unmatched += s.bytes;
      unexplained += s.bytes;
    }
  }
  std::vector<uint32_t> rows;
  open.ForLive([&](uint32_t row) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  std::vector<LiveAllocation> live;
  live.reserve(rows.size() + 2);
  for (const uint32_t row : rows) {
    CheckStop();
    live.push_back(DescribeAllocation(context.trace(), stats, row));
  }
  if (step_only) {
    unexplained -= unmatched;
  } else {
    unexplained = parts.heap;
    for (const LiveAllocation& a : live) unexplained -= a.allocated;
  }
  const char* label =
      step_only ? "unused preallocated device memory" : "allocated before the recording began";
  // XProf has words for what no event explains; by default these texts stay empty.
  const auto add = [&](const char* op, const char* region, int64_t bytes) {
    if (bytes <= 0) return;
    live.push_back({op,
                    step_only ? region : "",
                    step_only ? "INVALID" : "",
                    step_only ? "unknown" : "",
                    bytes,
                    bytes,
                    1,
                    {}});
  };
  add(label, "persist/dynamic", unexplained);
  add("stack", "stack", parts.stack);
  MergeEqual(&live);
  if (!step_only) {
    std::stable_sort(live.begin(), live.end(),
                     [](const auto& a, const auto& b) { return a.total() > b.total(); });
  }
  return live;
}

std::string DataTypeName(int64_t type) {
  static constexpr const char* kNames[] = {"INVALID",
                                           "float",
                                           "double",
                                           "int32",
                                           "uint8",
                                           "int16",
                                           "int8",
                                           "string",
                                           "complex64",
                                           "int64",
                                           "bool",
                                           "qint8",
                                           "quint8",
                                           "qint32",
                                           "bfloat16",
                                           "qint16",
                                           "quint16",
                                           "uint16",
                                           "complex128",
                                           "half",
                                           "resource",
                                           "variant",
                                           "uint32",
                                           "uint64",
                                           "float8_e5m2",
                                           "float8_e4m3fn",
                                           "float8_e4m3fnuz",
                                           "float8_e4m3b11fnuz",
                                           "float8_e5m2fnuz",
                                           "int4",
                                           "uint4",
                                           "int2",
                                           "uint2"};
  constexpr int64_t kRef = 100;  // DT_FLOAT_REF = DT_FLOAT + 100
  if (type >= 0 && type < static_cast<int64_t>(std::size(kNames))) return kNames[type];
  if (type > kRef && type - kRef < static_cast<int64_t>(std::size(kNames)))
    return std::string(kNames[type - kRef]) + "_ref";
  return fmt::format("type {}", type);
}

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
