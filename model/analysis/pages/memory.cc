// The analysis `memory`: tables of the memory profile (docs/rules.md#memory).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "model/analysis/definitions.h"
#include "model/analysis/memory/address_table.h"
#include "model/analysis/memory/live_allocations.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/tables/in_unit.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kTimelineRows = 1000;  // as in XProf

ColumnDesc Text(const char* id, const char* label) {
  return {id, label, Unit::kNone, ValueType::kString, ""};
}
ColumnDesc Bytes(const char* id, const char* label, const char* how = "") {
  return {id, label, Unit::kBytes, ValueType::kInt, how};
}
ColumnDesc Count(const char* id, const char* label) {
  return {id, label, Unit::kCount, ValueType::kInt, ""};
}
ColumnDesc Time(const char* id, const char* label) {
  return {id, label, Unit::kMs, ValueType::kReal, ""};
}

double Fragmentation(AnalysisContext& context, uint32_t row) {
  return context.allocation_stats().Real(RealStat::kFragmentation).Find(EventRow(row)).value_or(0);
}

// The lifetimes of an op's allocations: from an allocation to the deallocation of its address.
struct OpLifetimes {
  const MemorySnapshot* any = nullptr;
  uint64_t freed = 0;
  Ps total = 0, min = kMaxPs, max = 0;  // of the freed ones, ps
  int64_t bytes = 0;
  std::vector<EventRow> rows;  // of all allocations

  void Free(Ps life) {
    ++freed, total += life, min = std::min(min, life), max = std::max(max, life);
  }
};

// Lifetimes by MemorySnapshot::op_in_trace and op, so that text is read once per op, not per
// event.
class LifetimesByOp {
 public:
  OpLifetimes& Of(const MemorySnapshot& allocation) {
    std::vector<uint32_t>& numbers = numbers_[allocation.op_in_trace ? 1 : 0];
    if (allocation.op >= numbers.size()) numbers.resize(size_t{allocation.op} + 1, kNew);
    uint32_t& number = numbers[allocation.op];
    if (number == kNew) {
      number = static_cast<uint32_t>(ops_.size());
      ops_.emplace_back().any = &allocation;
    }
    return ops_[number];
  }
  // The most allocated bytes first.
  std::vector<OpLifetimes> Take() {
    const auto id = [](const OpLifetimes& op) {
      return std::pair(op.any->op_in_trace, op.any->op);
    };
    std::sort(ops_.begin(), ops_.end(), [&](const OpLifetimes& a, const OpLifetimes& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : id(a) < id(b);
    });
    return std::move(ops_);
  }

 private:
  static constexpr uint32_t kNew = ~uint32_t{0};

  std::array<std::vector<uint32_t>, 2> numbers_;  // by op_in_trace and op: index of ops_, or kNew
  std::vector<OpLifetimes> ops_;
};

// The lifetimes of what was allocated in the part that was asked for.
std::vector<OpLifetimes> AddUpLifetimes(const AllocatorProfile& allocator) {
  const MemorySnapshots& snapshots = allocator.snapshots;
  const auto counts = [&](uint32_t i) { return i >= allocator.begin && i < allocator.end; };
  LifetimesByOp ops;
  const auto made = [&](uint32_t i) {
    if (!counts(i)) return i;
    OpLifetimes& op = ops.Of(snapshots[i]);
    op.bytes += snapshots[i].bytes;
    op.rows.emplace_back(snapshots[i].row);
    return i;
  };
  PairByAddress(allocator, made, [&](uint32_t from, uint32_t to) {
    if (counts(from)) ops.Of(snapshots[from]).Free(snapshots[to].time - snapshots[from].time);
  });
  return ops.Take();
}

// The facts of an allocator that the tables show.
struct AllocatorFacts {
  SharedText host, id;
  int64_t allocations = 0, deallocations = 0;
  std::vector<size_t> sampled;        // snapshots of the timeline
  std::vector<MemoryParts> parts;     // of each of these
  std::vector<double> fragmentation;  // the same
  MemoryParts peak;                   // at the peak
  std::vector<LiveAllocation> live;   // at the peak
  std::vector<OpLifetimes> lifetimes;
};

AllocatorFacts FactsOf(AnalysisContext& context, const AllocatorProfile& a) {
  AllocatorFacts facts;
  facts.host = SharedText(context.trace().HostName(a.host));
  facts.id = SharedText(a.id);
  facts.sampled = SampleSnapshots(a, kTimelineRows);
  MemoryPartsReader parts(context.allocation_stats());
  facts.peak = parts.Of(a.snapshots[a.peak]);
  for (const size_t i : facts.sampled) {
    facts.parts.push_back(parts.Of(a.snapshots[i]));
    facts.fragmentation.push_back(Fragmentation(context, a.snapshots[i].row));
  }
  const auto count = [&](size_t i) {
    ++(a.snapshots[i].allocation ? facts.allocations : facts.deallocations);
  };
  if (context.xprof().sampled_counts) {  // XProf's front end counts what it draws
    for (const size_t i : facts.sampled) count(i);
  } else {
    for (size_t i = a.begin; i < a.end; ++i) count(i);
  }
  facts.live = ActiveAt(context, a, a.peak);
  if (!context.xprof().memory_tables_of_xprof) facts.lifetimes = AddUpLifetimes(a);
  return facts;
}

ResultTable SummaryTable(AnalysisContext& context, const MemoryProfile& profile,
                         const std::vector<AllocatorFacts>& facts) {
  const bool pytorch = CapabilitiesOf(context.trace()).pytorch_events;
  ResultTable t{"summary",
                "Allocators",
                {Text("host", "Host"),
                 Text("memory_id", "Allocator"),
                 Count("num_allocations", "Allocations"),
                 Count("num_deallocations", "Deallocations"),
                 Bytes("memory_capacity_bytes", "Capacity",
                       pytorch ? "memory of the device" : "in use and free at the peak"),
                 Bytes("peak_bytes_usage_lifetime", "Lifetime peak",
                       "since the program began, as the allocator says"),
                 Bytes("peak_bytes_in_use", "Peak in profile",
                       "most of stack and heap in use while recording"),
                 Time("peak_time_ms", "Peak at"),
                 Bytes("peak_stack_bytes", "Stack at peak"),
                 Bytes("peak_heap_bytes", "Heap at peak"),
                 Bytes("peak_free_bytes", "Free at peak"),
                 {"peak_fragmentation", "Fragmentation", Unit::kFraction, ValueType::kReal,
                  "1 - largest free chunk / free bytes of the pool"}}};
  if (pytorch) {
    t.AddColumn(Bytes("peak_reserved_bytes", "Reserved peak",
                      "most that the allocator held of the device, in use or not"));
  }
  for (size_t i = 0; i < facts.size(); ++i) {
    const AllocatorProfile& a = profile.allocators[i];
    const MemorySnapshot& peak = a.snapshots[a.peak];
    std::vector<Value> row = {facts[i].host,
                              facts[i].id,
                              facts[i].allocations,
                              facts[i].deallocations,
                              a.capacity > 0 ? Value(a.capacity) : Value(),
                              a.lifetime_peak,
                              peak.in_use,
                              InMs(peak.time),
                              facts[i].peak.stack,
                              facts[i].peak.heap,
                              facts[i].peak.free,
                              Fragmentation(context, peak.row)};
    if (pytorch) row.push_back(a.reserved_peak > 0 ? Value(a.reserved_peak) : Value());
    t.AddRow(std::move(row));
    t.links.push_back(LinkTo(EventRows({EventRow(peak.row)})));
  }
  return t;
}

ResultTable TimelineTable(const MemoryProfile& profile, const std::vector<AllocatorFacts>& facts) {
  ResultTable t{"timeline",
                "Memory in use over time",
                {Text("host", "Host"),
                 Text("memory_id", "Allocator"),
                 Time("time_ms", "Time"),
                 Text("activity", "Activity"),
                 Bytes("stack_bytes", "Stack"),
                 Bytes("heap_bytes", "Heap"),
                 Bytes("free_bytes", "Free"),
                 {"fragmentation", "Fragmentation", Unit::kFraction, ValueType::kReal, ""},
                 Count("step_id", "Step")}};
  const SharedText allocation("allocation"), deallocation("deallocation");
  for (size_t a = 0; a < facts.size(); ++a) {
    const AllocatorFacts& of = facts[a];
    for (size_t i = 0; i < of.sampled.size(); ++i) {
      const MemorySnapshot& s = profile.allocators[a].snapshots[of.sampled[i]];
      const MemoryParts& parts = of.parts[i];
      t.AddRow({of.host, of.id, InMs(s.time), s.allocation ? allocation : deallocation, parts.stack,
                parts.heap, parts.free, of.fragmentation[i], int64_t{s.step}});
      t.links.push_back(LinkTo(EventRows({EventRow(s.row)})));
    }
  }
  return t;
}

ResultTable ActiveTable(const std::vector<AllocatorFacts>& facts, bool totals) {
  ResultTable t{"active_allocations",
                "Live at the peak",
                {Text("host", "Host"), Text("memory_id", "Allocator"), Text("tf_op", "Op"),
                 Bytes("allocation_bytes", "Each", "size of one of them"),
                 Bytes("requested_bytes", "Requested each", "what was asked for one of them"),
                 Count("occurrences", "Count"), Text("region_type", "Region"),
                 Text("data_type", "Type"), Text("tensor_shape", "Shape")}};
  if (totals) t.AddColumn(Bytes("total_bytes", "Total", "size of one times count"));
  for (const AllocatorFacts& of : facts) {
    for (const LiveAllocation& live : of.live) {
      std::vector<Value> row = {of.host,        of.id,          live.op,
                                live.allocated, live.requested, static_cast<int64_t>(live.count),
                                live.region,    live.type,      live.shape};
      if (totals) row.push_back(live.total());
      t.AddRow(std::move(row));
      t.links.push_back(LinkTo(EventRows(live.rows)));
    }
  }
  return t;
}

// Takes the events of the lifetimes.
ResultTable LifetimeTable(AnalysisContext& context, std::vector<AllocatorFacts>* facts) {
  ResultTable t{"lifetimes",
                "Allocation lifetimes",
                {Text("host", "Host"), Text("memory_id", "Allocator"), Text("tf_op", "Op"),
                 Count("occurrences", "Freed"), Count("still_live", "Never freed"),
                 Bytes("allocated_bytes", "Allocated", "sum over the recording"),
                 Time("avg_lifetime_ms", "Average"), Time("min_lifetime_ms", "Min"),
                 Time("max_lifetime_ms", "Max")}};
  for (AllocatorFacts& of : *facts) {
    for (OpLifetimes& op : of.lifetimes) {
      t.AddRow({of.host, of.id, std::string(OpOf(context, *op.any)), static_cast<int64_t>(op.freed),
                static_cast<int64_t>(op.rows.size() - op.freed), op.bytes,
                op.freed ? InMs(op.total) / static_cast<double>(op.freed) : 0.0,
                op.freed ? InMs(op.min) : 0.0, InMs(op.max)});
      t.links.push_back(LinkTo(EventRows(std::move(op.rows))));
    }
  }
  return t;
}

void AddFindings(AnalysisContext& context, const MemoryProfile& profile,
                 const std::vector<AllocatorFacts>& facts, AnalysisResult* result) {
  for (size_t i = 0; i < facts.size(); ++i) {
    const AllocatorProfile& a = profile.allocators[i];
    const MemorySnapshot& peak = a.snapshots[a.peak];
    const double used = a.capacity > 0
                            ? static_cast<double>(std::max(peak.in_use, a.reserved_peak)) /
                                  static_cast<double>(a.capacity)
                            : 0;
    if (used >= 0.9 && a.capacity > peak.in_use) {
      result->findings.push_back(
          {Finding::Grade::kWarning,
           fmt::format("{} used {:.0f} % of its memory at its peak.", a.id, used * 100),
           "See what was live at the peak; a smaller batch, recomputation or mixed precision frees "
           "memory.",
           "memory"});
    }
    double worst = 0;
    for (const double fragmentation : facts[i].fragmentation)
      worst = std::max(worst, fragmentation);
    if (worst >= 0.5) {
      result->findings.push_back(
          {Finding::Grade::kWarning,
           fmt::format("{} was up to {:.0f} % fragmented.", a.id, worst * 100),
           "Large allocations may fail although enough is free. " +
               RemedyFor("memory", ProgramOf(context.trace())),
           "memory"});
    }
  }
}

}  // namespace

AnalysisResult RunMemory(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "memory";
  const std::shared_ptr<const MemoryProfile> shared = context.Get<MemoryProfile>(params);
  const MemoryProfile& profile = *shared;
  std::vector<AllocatorFacts> facts(profile.allocators.size());
  ParallelFor(facts.size(), [&](size_t i) { facts[i] = FactsOf(context, profile.allocators[i]); });
  const bool of_xprof = context.xprof().memory_tables_of_xprof;
  result.tables.push_back(SummaryTable(context, profile, facts));
  result.tables.push_back(TimelineTable(profile, facts));
  result.tables.push_back(ActiveTable(facts, !of_xprof));
  if (!of_xprof) {
    result.tables.push_back(LifetimeTable(context, &facts));
    AddFindings(context, profile, facts, &result);
  }
  if (profile.allocators.empty()) {
    result.empty_reason = "This profile has no memory events. " +
                          RemedyFor("record.memory", ProgramOf(context.trace()));
  }
  return result;
}

}  // namespace stepscope
