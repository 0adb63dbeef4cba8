#include "model/analysis/pages/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/memory/address_table.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/tables/schema.h"
#include "model/base/digits.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kTimelineRows = 1000;  // as in XProf

// Lifetimes by MemorySnapshot::op_in_trace and op, so that text is read once per op, not per
// event.
class LifetimesByOp {
 public:
  struct Lifetimes : OpLifetimes {
    const MemorySnapshot* any = nullptr;
    std::vector<EventRow> events;

    void Free(Ps life) {
      ++freed, total += life, min = std::min(min, life), max = std::max(max, life);
    }
  };
  Lifetimes& Of(const MemorySnapshot& allocation) {
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
  std::vector<OpLifetimes> Take(AnalysisContext& context) {
    const auto id = [](const Lifetimes& op) { return std::pair(op.any->op_in_trace, op.any->op); };
    std::sort(ops_.begin(), ops_.end(), [&](const Lifetimes& a, const Lifetimes& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : id(a) < id(b);
    });
    std::vector<OpLifetimes> out;
    for (Lifetimes& op : ops_) {
      op.op = SharedText(OpOf(context, *op.any));
      op.rows = EventRows(std::move(op.events));
      out.push_back(std::move(op));
    }
    return out;
  }

 private:
  static constexpr uint32_t kNew = ~uint32_t{0};

  std::array<std::vector<uint32_t>, 2> numbers_;  // by op_in_trace and op: index of ops_, or kNew
  std::vector<Lifetimes> ops_;
};

// The lifetimes of what was allocated in the part that was asked for.
std::vector<OpLifetimes> AddUpLifetimes(AnalysisContext& context,
                                        const AllocatorProfile& allocator) {
  const MemorySnapshots& snapshots = allocator.snapshots;
  const auto counts = [&](uint32_t i) { return i >= allocator.begin && i < allocator.end; };
  LifetimesByOp ops;
  const auto made = [&](uint32_t i) {
    if (!counts(i)) return i;
    LifetimesByOp::Lifetimes& op = ops.Of(snapshots[i]);
    op.bytes += snapshots[i].bytes;
    op.events.emplace_back(snapshots[i].row);
    return i;
  };
  PairByAddress(allocator, made, [&](uint32_t from, uint32_t to) {
    if (counts(from)) ops.Of(snapshots[from]).Free(snapshots[to].time - snapshots[from].time);
  });
  return ops.Take(context);
}

AllocatorUse UseOf(AnalysisContext& context, const AllocatorProfile& a) {
  AllocatorUse use;
  use.host = SharedText(context.trace().HostName(a.host)), use.id = SharedText(a.id);
  use.capacity = a.capacity, use.lifetime_peak = a.lifetime_peak;
  use.reserved_peak = a.reserved_peak;
  const StatTable& stats = context.allocation_stats();
  MemoryPartsReader parts(stats);
  const auto moment = [&](size_t i) {
    const MemorySnapshot& s = a.snapshots[i];
    const auto fragmentation = stats.Real(RealStat::kFragmentation).Find(EventRow(s.row));
    return AllocatorUse::Moment{s.time,       parts.Of(s), fragmentation.value_or(0), s.row, s.step,
                                s.allocation, s.in_use};
  };
  use.peak = moment(a.peak);
  for (const size_t i : SampleSnapshots(a, kTimelineRows)) use.timeline.push_back(moment(i));
  const auto count = [&](bool allocation) { ++(allocation ? use.allocations : use.deallocations); };
  if (context.xprof().sampled_counts) {  // XProf's front end counts what it draws
    for (const AllocatorUse::Moment& m : use.timeline) count(m.allocation);
  } else {
    for (size_t i = a.begin; i < a.end; ++i) count(a.snapshots[i].allocation);
  }
  use.live = ActiveAt(context, a, a.peak);
  if (!context.xprof().memory_tables_of_xprof) use.lifetimes = AddUpLifetimes(context, a);
  return use;
}

// A row of a table about several allocators.
template <typename T>
struct AllocatorRow {
  const AllocatorUse* of;
  const T* row;
};
// Makes a table of the lists that the allocators have. `fields` follow their host and name.
template <typename T>
ResultTable TableOfAll(std::span<const AllocatorUse> allocators, std::vector<T> AllocatorUse::*list,
                       const char* id, const char* title,
                       std::vector<typename Schema<AllocatorRow<T>>::Field> fields) {
  using R = AllocatorRow<T>;
  std::vector<typename Schema<R>::Field> all = {
      {"host", "Host", Unit::kNone, [](const R& r) { return r.of->host; }},
      {"memory_id", "Allocator", Unit::kNone, [](const R& r) { return r.of->id; }}};
  all.insert(all.end(), fields.begin(), fields.end());
  std::vector<R> rows;
  for (const AllocatorUse& of : allocators) {
    for (const T& row : of.*list) rows.push_back({&of, &row});
  }
  return Schema<R>(id, title, std::move(all),
                   [](const R& r, const NoFacts&) {
                     if constexpr (requires { r.row->rows; })
                       return LinkTo(r.row->rows);
                     else
                       return LinkTo(EventRows({EventRow(r.row->row)}));
                   })
      .Make(rows);
}

void AddFindings(const MemoryUse& use, const Program& program, AnalysisResult* result) {
  for (const AllocatorUse& a : use.allocators) {
    const double used = a.capacity > 0
                            ? static_cast<double>(std::max(a.peak.in_use, a.reserved_peak)) /
                                  static_cast<double>(a.capacity)
                            : 0;
    if (used >= 0.9 && a.capacity > a.peak.in_use) {
      result->findings.push_back(
          {Finding::Grade::kWarning,
           fmt::format("{} used {} of its memory at its peak.", a.id.view(),
                       PercentText(used * 100, 0)),
           "See what was live at the peak; a smaller batch, recomputation or mixed precision frees "
           "memory.",
           "memory"});
    }
    double worst = 0;
    for (const AllocatorUse::Moment& m : a.timeline) worst = std::max(worst, m.fragmentation);
    if (worst >= 0.5) {
      result->findings.push_back(
          {Finding::Grade::kWarning,
           fmt::format("{} was up to {} fragmented.", a.id.view(), PercentText(worst * 100, 0)),
           "Large allocations may fail although enough is free. " + RemedyFor("memory", program),
           "memory"});
    }
  }
}

}  // namespace

MemoryUse MemoryUse::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const std::shared_ptr<const MemoryProfile> profile = context.Get<MemoryProfile>(params);
  MemoryUse use;
  use.pytorch = CapabilitiesOf(context.trace()).pytorch_events;
  use.tables_of_xprof = context.xprof().memory_tables_of_xprof;
  use.allocators.resize(profile->allocators.size());
  ParallelFor(use.allocators.size(),
              [&](size_t i) { use.allocators[i] = UseOf(context, profile->allocators[i]); });
  return use;
}

ResultTable AllocatorTable(const MemoryUse& use) {
  using A = AllocatorUse;
  using Field = Schema<A, MemoryUse>::Field;
  const auto known = [](int64_t A::*bytes) {
    return [bytes](const A& a) { return a.*bytes > 0 ? std::optional(a.*bytes) : std::nullopt; };
  };
  const Schema<A, MemoryUse> schema(
      "summary", "Allocators",
      {{"host", "Host", Unit::kNone, &A::host},
       {"memory_id", "Allocator", Unit::kNone, &A::id},
       {"num_allocations", "Allocations", Unit::kCount, &A::allocations},
       {"num_deallocations", "Deallocations", Unit::kCount, &A::deallocations},
       {"memory_capacity_bytes", "Capacity", Unit::kBytes, known(&A::capacity),
        use.pytorch ? "memory of the device" : "in use and free at the peak"},
       {"peak_bytes_usage_lifetime", "Lifetime peak", Unit::kBytes, &A::lifetime_peak,
        "since the program began, as the allocator says"},
       {"peak_bytes_in_use", "Peak in profile", Unit::kBytes,
        [](const A& a) { return a.peak.in_use; }, "most of stack and heap in use while recording"},
       {"peak_time_ms", "Peak at", Unit::kMs, [](const A& a) { return a.peak.time; }},
       {"peak_stack_bytes", "Stack at peak", Unit::kBytes,
        [](const A& a) { return a.peak.parts.stack; }},
       {"peak_heap_bytes", "Heap at peak", Unit::kBytes,
        [](const A& a) { return a.peak.parts.heap; }},
       {"peak_free_bytes", "Free at peak", Unit::kBytes,
        [](const A& a) { return a.peak.parts.free; }},
       {"peak_fragmentation", "Fragmentation", Unit::kFraction,
        [](const A& a) { return a.peak.fragmentation; },
        "1 - largest free chunk / free bytes of the pool"},
       Field{"peak_reserved_bytes", "Reserved peak", Unit::kBytes, known(&A::reserved_peak),
             "most that the allocator held of the device, in use or not"}
           .When(&MemoryUse::pytorch)},
      [](const A& a, const MemoryUse&) { return LinkTo(EventRows({EventRow(a.peak.row)})); });
  return schema.Make(use.allocators, use);
}

ResultTable TimelineTable(std::span<const AllocatorUse> allocators) {
  using R = AllocatorRow<AllocatorUse::Moment>;
  const SharedText allocation("allocation"), deallocation("deallocation");
  return TableOfAll(
      allocators, &AllocatorUse::timeline, "timeline", "Memory in use over time",
      {{"time_ms", "Time", Unit::kMs, [](const R& r) { return r.row->time; }},
       {"activity", "Activity", Unit::kNone,
        [=](const R& r) { return r.row->allocation ? allocation : deallocation; }},
       {"stack_bytes", "Stack", Unit::kBytes, [](const R& r) { return r.row->parts.stack; }},
       {"heap_bytes", "Heap", Unit::kBytes, [](const R& r) { return r.row->parts.heap; }},
       {"free_bytes", "Free", Unit::kBytes, [](const R& r) { return r.row->parts.free; }},
       {"fragmentation", "Fragmentation", Unit::kFraction,
        [](const R& r) { return r.row->fragmentation; }},
       {"step_id", "Step", Unit::kCount, [](const R& r) { return r.row->step; }}});
}

ResultTable LiveAllocationTable(std::span<const AllocatorUse> allocators, bool totals) {
  using R = AllocatorRow<LiveAllocation>;
  std::vector<Schema<R>::Field> fields = {
      {"tf_op", "Op", Unit::kNone, [](const R& r) { return r.row->op; }},
      {"allocation_bytes", "Each", Unit::kBytes, [](const R& r) { return r.row->allocated; },
       "size of one of them"},
      {"requested_bytes", "Requested each", Unit::kBytes,
       [](const R& r) { return r.row->requested; }, "what was asked for one of them"},
      {"occurrences", "Count", Unit::kCount, [](const R& r) { return r.row->count; }},
      {"region_type", "Region", Unit::kNone, [](const R& r) { return r.row->region; }},
      {"data_type", "Type", Unit::kNone, [](const R& r) { return r.row->type; }},
      {"tensor_shape", "Shape", Unit::kNone, [](const R& r) { return r.row->shape; }}};
  if (totals) {
    fields.push_back({"total_bytes", "Total", Unit::kBytes,
                      [](const R& r) { return r.row->total(); }, "size of one times count"});
  }
  return TableOfAll(allocators, &AllocatorUse::live, "active_allocations", "Live at the peak",
                    std::move(fields));
}

ResultTable LifetimeTable(std::span<const AllocatorUse> allocators) {
  using R = AllocatorRow<OpLifetimes>;
  return TableOfAll(
      allocators, &AllocatorUse::lifetimes, "lifetimes", "Allocation lifetimes",
      {{"tf_op", "Op", Unit::kNone, [](const R& r) { return r.row->op; }},
       {"occurrences", "Freed", Unit::kCount, [](const R& r) { return r.row->freed; }},
       {"still_live", "Never freed", Unit::kCount,
        [](const R& r) { return r.row->rows.size() - r.row->freed; }},
       {"allocated_bytes", "Allocated", Unit::kBytes, [](const R& r) { return r.row->bytes; },
        "sum over the recording"},
       {"avg_lifetime_ms", "Average", Unit::kMs,
        [](const R& r) {
          return r.row->freed ? InMs(r.row->total) / static_cast<double>(r.row->freed) : 0.0;
        }},
       {"min_lifetime_ms", "Min", Unit::kMs,
        [](const R& r) { return r.row->freed ? r.row->min : Ps{0}; }},
       {"max_lifetime_ms", "Max", Unit::kMs, [](const R& r) { return r.row->max; }}});
}

AnalysisResult RunMemory(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "memory";
  const auto use = context.Make<MemoryUse>(params);
  const Program program = ProgramOf(context.trace());
  result.tables.push_back(AllocatorTable(*use));
  result.tables.push_back(TimelineTable(use->allocators));
  result.tables.push_back(LiveAllocationTable(use->allocators, !use->tables_of_xprof));
  if (!use->tables_of_xprof) {
    result.tables.push_back(LifetimeTable(use->allocators));
    AddFindings(*use, program, &result);
  }
  if (use->allocators.empty()) {
    result.empty_reason =
        "This profile has no memory events. " + RemedyFor("record.memory", program);
  }
  result.SetSource(use);
  return result;
}

}  // namespace stepscope
