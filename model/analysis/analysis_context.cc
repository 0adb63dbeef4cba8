#include <utility>

#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "model/analysis/definitions.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/vendor_words.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct LoadedStats {
  std::shared_ptr<const StatTable> table = std::make_shared<const StatTable>();
  std::string error;
};

LoadedStats LoadStats(const Trace& trace, StatRows rows) {
  LoadedStats loaded;
  if (!trace.source) {
    loaded.error = "this trace has no stats";
    return loaded;
  }
  Result<std::shared_ptr<const StatTable>> result =
      trace.source->LoadTypedOf(trace, rows, CurrentStopToken());
  CheckStop();  // else it may have stopped before the end
  if (result.ok()) {
    loaded.table = result.value();
  } else {
    loaded.error = result.status().message();
  }
  return loaded;
}

struct TypedStats : LoadedStats {
  static TypedStats Compute(AnalysisContext& context) {
    return {LoadStats(context.trace(), StatRows::kOthers)};
  }
};

struct AllocationStats : LoadedStats {
  static AllocationStats Compute(AnalysisContext& context) {
    return {LoadStats(context.trace(), StatRows::kAllocations)};
  }
};

}  // namespace

AnalysisContext::AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions)
    : trace_(std::move(trace)),
      definitions_(definitions),
      xprof_(std::make_unique<const XprofDefinitions>(XprofDefinitionsOf(definitions))) {}

AnalysisContext::~AnalysisContext() = default;

const StatTable& AnalysisContext::stats() { return *Get<TypedStats>().table; }

const StatTable& AnalysisContext::allocation_stats() {
  if (!trace_->source || !trace_->source->reads_allocations_apart()) return stats();
  return *Get<AllocationStats>().table;
}

std::vector<const StatTable*> AnalysisContext::all_stats() {
  std::vector<const StatTable*> tables = {&stats()};
  const StatTable* const allocations = &allocation_stats();
  if (allocations != tables.front()) tables.push_back(allocations);
  return tables;
}

const std::string& AnalysisContext::stats_error() { return Get<TypedStats>().error; }

void AnalysisContext::ReleaseCaches() {
  std::lock_guard lock(mutex_);
  for (const auto& [type, cache] : caches_) cache->Release();
}

std::shared_ptr<const AnalysisResult> AnalysisContext::Get(std::string_view analysis,
                                                           const AnalysisParams& params) {
  return pages_.Share({std::string(analysis), params}, [&] {
    if (const AnalysisDesc* desc = FindAnalysis(analysis)) return RunAnalysis(*desc, *this, params);
    AnalysisResult none;
    none.empty_reason = "there is no analysis '" + std::string(analysis) + "'";
    return none;
  });
}

EventOrder EventOrder::Compute(AnalysisContext& context) {
  return BuildEventOrder(context.trace(), context.xprof().unsorted_lines_as_in_file);
}

namespace {

// Their own reasons name what to record, which would be wrong advice for such a file.
constexpr const char* kSnapshotHasNone =
    "A memory snapshot has allocations only; its page is Memory snapshot. Steps, kernels and "
    "operations are in a trace of the same run, which can be opened beside it.";
constexpr const char* kOthersHaveNone =
    "No trace of TensorFlow, JAX or PyTorch: the timeline, search, statistics, flame graphs and "
    "SQL "
    "work.";
constexpr const char* kFleetHasNone =
    "A fleet has the facts of ranks only; its pages are Fleet and Ranks. Open a rank's profile for "
    "its events.";

uint8_t KindsOf(const Trace& trace) {
  if (FleetOf(trace) != nullptr) return kOfFleets;
  if (HistoryOf(trace) != nullptr) return kOfSnapshots;
  if (IsForeign(trace.recording.recorder)) return kOfOthers;
  return trace.hlo.programs.empty() ? kOfTraces : kOfTraces | kOfPrograms;
}

}  // namespace

bool AppliesTo(const AnalysisDesc& analysis, const Trace& trace) {
  return (analysis.of & KindsOf(trace)) != 0;
}

AnalysisResult RunAnalysis(const AnalysisDesc& analysis, AnalysisContext& context,
                           const AnalysisParams& params) {
  CheckStop();
  const uint8_t kinds = KindsOf(context.trace());
  const bool of_others = kinds == kOfOthers && (analysis.of & kOfOthers) == 0;
  if ((kinds & (analysis.of | kOfTraces)) == 0 || of_others) {
    AnalysisResult none;
    none.panel = analysis.id;
    none.empty_reason = kinds == kOfFleets   ? kFleetHasNone
                        : kinds == kOfOthers ? kOthersHaveNone
                                             : kSnapshotHasNone;
    return none;
  }
  AnalysisResult result = analysis.run(context, params);
  if (context.definitions() == Definitions::kStepscope) UseVendorWords(context.trace(), &result);
  return result;
}

std::string WhatOf(const AnalysisDesc& analysis, const AnalysisContext& context) {
  const bool amd = context.definitions() == Definitions::kStepscope && OnlyAmdGpus(context.trace());
  return amd ? InAmdWords(analysis.what) : analysis.what;
}

}  // namespace stepscope
