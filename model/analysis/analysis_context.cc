#include <list>
#include <mutex>
#include <utility>

#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "model/analysis/definitions.h"
#include "model/analysis/derived_tracks/derived_lines.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/analysis/devices/precision.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/kernels/launching_ops.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/naming/vendor_words.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

// A value computed on first use. If several threads ask at once, one computes and the others wait.
// A stopped computation leaves an incomplete value: only callers that are stopped as well get
// it, all others compute anew. References to either stay valid.
template <typename T>
class Lazy {
 public:
  template <typename Fn>
  const T& Get(std::stop_token stop, Fn compute) {
    std::lock_guard lock(mutex_);
    if (value_) return *value_;
    if (stop.stop_requested() && !unfinished_.empty()) return *unfinished_.back();
    auto fresh = std::make_unique<T>(compute());
    const T& result = *fresh;
    if (stop.stop_requested()) {
      unfinished_.push_back(std::move(fresh));
    } else {
      value_ = std::move(fresh);
    }
    return result;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<T> value_;
  std::vector<std::unique_ptr<T>> unfinished_;
};

// Values by key, each computed on first use by one thread. The `most` keys asked for last are kept.
// The result of a stopped computation is returned but not kept.
template <typename Key, typename T>
class Recent {
 public:
  explicit Recent(size_t most) : most_(most) {}
  template <typename Fn>
  std::shared_ptr<const T> Get(const Key& key, std::stop_token stop, Fn compute) {
    const std::shared_ptr<Slot> slot = Find(key);
    std::lock_guard lock(slot->mutex);
    if (!slot->value) slot->value = slot->let_go.lock();
    if (slot->value) return slot->value;
    auto fresh = std::make_shared<const T>(compute());
    if (!stop.stop_requested()) slot->value = fresh;
    return fresh;
  }
  // From now on values live only as long as others hold them. A value
  // that is just being computed stays.
  void ReleaseCaches() {
    std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Slot>& slot : slots_) {
      const std::unique_lock locked(slot->mutex, std::try_to_lock);
      if (!locked || !slot->value) continue;
      slot->let_go = slot->value;
      slot->value = nullptr;
    }
  }
  void Forget(const Key& key) {
    std::lock_guard lock(mutex_);
    slots_.remove_if([&key](const std::shared_ptr<Slot>& slot) { return slot->key == key; });
  }

 private:
  struct Slot {
    Key key;
    std::mutex mutex;
    std::shared_ptr<const T> value;
    std::weak_ptr<const T> let_go;  // what ReleaseCaches left, if others still hold it
  };

  std::shared_ptr<Slot> Find(const Key& key) {
    std::lock_guard lock(mutex_);
    for (auto it = slots_.begin(); it != slots_.end(); ++it) {
      if ((*it)->key != key) continue;
      slots_.splice(slots_.begin(), slots_, it);
      return slots_.front();
    }
    if (slots_.size() >= most_) slots_.pop_back();
    auto slot = std::make_shared<Slot>();
    slot->key = key;
    slots_.push_front(slot);
    return slot;
  }

  const size_t most_;
  std::mutex mutex_;                        // guards the list; each slot has a lock of its own
  std::list<std::shared_ptr<Slot>> slots_;  // last asked for first
};

struct LoadedStats {
  std::shared_ptr<const StatTable> table;
  std::string error;
};

// The same params without the choices of a page of XLA's programs.
AnalysisParams OfAllChoices(AnalysisParams params) {
  params.hlo = {};
  return params;
}

LoadedStats LoadStats(const Trace& trace, StatRows rows, std::stop_token stop) {
  LoadedStats loaded;
  if (!trace.source) {
    loaded.error = "this trace has no stats";
  } else {
    Result<std::shared_ptr<const StatTable>> result = trace.source->LoadTypedOf(trace, rows, stop);
    if (result.ok()) {
      loaded.table = result.value();
    } else {
      loaded.error = result.status().message();
    }
  }
  if (!loaded.table) loaded.table = std::make_shared<const StatTable>();
  return loaded;
}

}  // namespace

struct AnalysisContext::State {
  explicit State(Definitions definitions) : xprof(XprofDefinitionsOf(definitions)) {}
  const XprofDefinitions xprof;
  Lazy<LoadedStats> stats, allocation_stats;
  Lazy<EventOrder> order;
  Lazy<std::vector<uint8_t>> device_classes;
  Lazy<Grouping> grouping;
  Lazy<LaunchingOps> launching_ops;
  Lazy<HostActivity> host_activity;
  Lazy<StepDatabase> steps;
  Lazy<GraphOps> graph_ops;
  Lazy<std::vector<std::shared_ptr<const TrackSet>>> derived;
  Recent<AnalysisParams, OpDatabase> ops{4};
  Lazy<HloPrograms> hlo_programs;
  Recent<AnalysisParams, HloOpTable> hlo_ops{2};
  Recent<AnalysisParams, TorchOps> torch_ops{2};
  using OfSteps = std::pair<AnalysisParams, bool>;  // the part, and whether its span is one step
  Recent<OfSteps, std::vector<ExposedKind>> exposed_kinds{2};
  Recent<OfSteps, PrecisionTimes> precision{2};
  Recent<AnalysisParams, MemoryProfile> memory{1};
  Recent<std::pair<std::string, AnalysisParams>, AnalysisResult> results{4};
};

AnalysisContext::AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions)
    : trace_(std::move(trace)),
      definitions_(definitions),
      state_(std::make_unique<State>(definitions)) {}

AnalysisContext::~AnalysisContext() = default;

const XprofDefinitions& AnalysisContext::xprof() const { return state_->xprof; }

const StatTable& AnalysisContext::stats(std::stop_token stop) {
  return *state_->stats.Get(stop, [&] { return LoadStats(*trace_, StatRows::kOthers, stop); })
              .table;
}

const StatTable& AnalysisContext::allocation_stats(std::stop_token stop) {
  if (!trace_->source || !trace_->source->reads_allocations_apart()) return stats(stop);
  const auto load = [&] { return LoadStats(*trace_, StatRows::kAllocations, stop); };
  return *state_->allocation_stats.Get(stop, load).table;
}

std::vector<const StatTable*> AnalysisContext::all_stats(std::stop_token stop) {
  std::vector<const StatTable*> tables = {&stats(stop)};
  const StatTable* const allocations = &allocation_stats(stop);
  if (allocations != tables.front()) tables.push_back(allocations);
  return tables;
}

const std::string& AnalysisContext::stats_error(std::stop_token stop) {
  return state_->stats.Get(stop, [&] { return LoadStats(*trace_, StatRows::kOthers, stop); }).error;
}

const EventOrder& AnalysisContext::order(std::stop_token stop) {
  return state_->order.Get(
      stop, [&] { return BuildEventOrder(*trace_, xprof().unsorted_lines_as_in_file, stop); });
}

const std::vector<uint8_t>& AnalysisContext::device_classes() {
  return state_->device_classes.Get({}, [&] { return DeviceClasses(*trace_); });
}

const Grouping& AnalysisContext::grouping(std::stop_token stop) {
  const StatTable& table = stats(stop);
  const EventOrder& events = order(stop);
  return state_->grouping.Get(stop, [&] {
    // Allocations have a part in grouping only where the file says which group they are in.
    const bool recorded = HasRecordedGroups(*trace_, table);
    const auto tables = recorded ? all_stats(stop) : std::vector<const StatTable*>{&table};
    return BuildGrouping(*trace_, tables, events, xprof().ungrouped_events_join, stop);
  });
}

const LaunchingOps& AnalysisContext::launching_ops(std::stop_token stop) {
  const StatTable& table = stats(stop);
  return state_->launching_ops.Get(stop, [&] { return LaunchingOps(*trace_, table); });
}

const HostActivity& AnalysisContext::host_activity(std::stop_token stop) {
  const StatTable& table = stats(stop);
  const Grouping& groups = grouping(stop);
  return state_->host_activity.Get(stop, [&] { return HostActivity(*trace_, table, groups, {}); });
}

const StepDatabase& AnalysisContext::steps(std::stop_token stop) {
  grouping(stop);
  return state_->steps.Get(stop, [&] { return BuildSteps(*this, stop); });
}

const GraphOps& AnalysisContext::graph_ops(std::stop_token stop) {
  return state_->graph_ops.Get(stop, [&] { return ComputeGraphOps(*this, stop); });
}

std::shared_ptr<const OpDatabase> AnalysisContext::ops(const AnalysisParams& params,
                                                       std::stop_token stop) {
  grouping(stop);
  AnalysisParams of_all_hosts = OfAllChoices(params);
  of_all_hosts.hosts.clear();
  of_all_hosts.peaks.clear();
  return state_->ops.Get(of_all_hosts, stop, [&] { return BuildOps(*this, of_all_hosts, stop); });
}

std::shared_ptr<const MemoryProfile> AnalysisContext::memory(const AnalysisParams& params,
                                                             std::stop_token stop) {
  return state_->memory.Get(params, stop, [&] { return ComputeMemory(*this, params, stop); });
}

const HloPrograms& AnalysisContext::hlo_programs() {
  return state_->hlo_programs.Get({}, [&] { return HloPrograms(*trace_); });
}

std::shared_ptr<const HloOpTable> AnalysisContext::hlo_ops(const AnalysisParams& params,
                                                           std::stop_token stop) {
  const AnalysisParams all = OfAllChoices(params);
  return state_->hlo_ops.Get(all, stop, [&] { return CollectHloOps(*this, all, stop); });
}

std::shared_ptr<const TorchOps> AnalysisContext::torch_ops(const AnalysisParams& params,
                                                           std::stop_token stop) {
  const AnalysisParams all = OfAllChoices(params);
  return state_->torch_ops.Get(all, stop, [&] { return CollectTorchOps(*this, all, stop); });
}

std::shared_ptr<const std::vector<ExposedKind>> AnalysisContext::exposed_kinds(
    const AnalysisParams& params, bool whole, const StepDatabase& steps, std::stop_token stop) {
  return state_->exposed_kinds.Get({OfAllChoices(params), whole}, std::move(stop),
                                   [&] { return ExposedKinds(*trace_, steps); });
}

std::shared_ptr<const PrecisionTimes> AnalysisContext::precision(const AnalysisParams& params,
                                                                 bool whole,
                                                                 const StepDatabase& steps,
                                                                 std::stop_token stop) {
  const AnalysisParams all = OfAllChoices(params);
  return state_->precision.Get({all, whole}, stop,
                               [&] { return ComputePrecision(*this, all, steps, stop); });
}

void AnalysisContext::ReleaseCaches() { state_->memory.ReleaseCaches(); }

std::vector<std::shared_ptr<const TrackSet>> AnalysisContext::derived(std::stop_token stop) {
  grouping(stop);
  return state_->derived.Get(stop, [&] {
    std::vector<std::shared_ptr<const TrackSet>> sets = BuildDerivedLines(*this, stop);
    std::vector<std::shared_ptr<const TrackSet>> of_devices = BuildDeviceTracks(*this, stop);
    sets.insert(sets.end(), of_devices.begin(), of_devices.end());
    return sets;
  });
}

std::shared_ptr<const AnalysisResult> AnalysisContext::Get(std::string_view analysis,
                                                           const AnalysisParams& params,
                                                           std::stop_token stop) {
  return state_->results.Get({std::string(analysis), params}, stop, [&] {
    const AnalysisDesc* desc = FindAnalysis(analysis);
    // The function in the registry returns what is kept here, so calling it would not end.
    if (analysis == "kernel_stats")
      return RunAnalysis({desc->id, desc->title, desc->what, RunKernelStats}, *this, params, stop);
    if (desc) return RunAnalysis(*desc, *this, params, stop);
    AnalysisResult none;
    none.empty_reason = "there is no analysis '" + std::string(analysis) + "'";
    return none;
  });
}

void AnalysisContext::Forget(std::string_view analysis, const AnalysisParams& params) {
  state_->results.Forget({std::string(analysis), params});
}

namespace {

// The reason for every page but those of snapshots: their own reasons name what to record, which
// would be wrong advice for a file that is a snapshot.
constexpr const char* kSnapshotHasNone =
    "A memory snapshot has allocations only; its page is Memory snapshot. Steps, kernels and "
    "operations are in a trace of the same run, which can be opened beside it.";

// The same for fleets.
constexpr const char* kFleetHasNone =
    "A fleet has the facts of ranks only; its pages are Fleet and Ranks. Open a rank's profile for "
    "its events.";

bool IsOfFleets(std::string_view analysis) {
  return analysis == "fleet" || analysis == "ranks" || analysis == "diagnostics";
}

bool IsOfSnapshots(std::string_view analysis) {
  return analysis == "memory_snapshot" || analysis == "findings" || analysis == "diagnostics";
}

}  // namespace

AnalysisResult RunAnalysis(const AnalysisDesc& analysis, AnalysisContext& context,
                           const AnalysisParams& params, std::stop_token stop) {
  if (FleetOf(context.trace()) != nullptr && !IsOfFleets(analysis.id)) {
    AnalysisResult none;
    none.panel = analysis.id;
    none.empty_reason = kFleetHasNone;
    return none;
  }
  AnalysisResult result = analysis.run(context, params, std::move(stop));
  if (HistoryOf(context.trace()) != nullptr && !IsOfSnapshots(analysis.id)) {
    AnalysisResult none;
    none.panel = result.panel;
    none.empty_reason = kSnapshotHasNone;
    return none;
  }
  if (context.definitions() == Definitions::kStepscope) UseVendorWords(context.trace(), &result);
  return result;
}

std::string WhatOf(const AnalysisDesc& analysis, const AnalysisContext& context) {
  const bool amd = context.definitions() == Definitions::kStepscope && OnlyAmdGpus(context.trace());
  return amd ? InAmdWords(analysis.what) : analysis.what;
}

}  // namespace stepscope
