#include "model/analysis/memory/live_allocations.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace stepscope
