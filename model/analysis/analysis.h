// The analyses of one trace: pure functions from a trace and AnalysisParams to the tables that
// reports print and panels show (AnalysisResult).
//
// The flow: AnalysisContext computes once for a trace what analyses share (stats, order,
// grouping, steps, ops, memory); an analysis reads that and returns tables. Each subfolder makes
// one part of it, and none includes what stands above it (tests/tools/check_layering.py).
// Start reading: steps/steps.h (how a step is found and divided), steps/idle_causes.h (why a GPU is
// idle), pages/overview.cc (an analysis from begin to end). A new analysis is a source, its row in
// registry.cc and its test.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/params.h"
#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

// The rules that numbers follow. kXprof: XProf 2.24.2's (--compat xprof; docs/differences.md).
enum class Definitions : uint8_t { kStepscope, kXprof };

struct Grouping;          // model/analysis/grouping/grouping.h
struct EventOrder;        // model/analysis/intervals/event_order.h
class LaunchingOps;       // model/analysis/kernels/launching_ops.h
class HostActivity;       // model/analysis/grouping/host_activity.h
struct StepDatabase;      // model/analysis/steps/steps.h
struct OpDatabase;        // model/analysis/ops/op_database.h
struct GraphOps;          // model/analysis/graphs/graph_ops.h
struct TorchOps;          // model/analysis/torch/torch_ops.h
struct HloOpTable;        // model/analysis/xla/hlo_ops.h
class HloPrograms;        // model/analysis/xla/hlo_programs.h
struct ExposedKind;       // model/analysis/steps/exposed_time.h
struct PrecisionTimes;    // model/analysis/devices/precision.h
struct MemoryProfile;     // model/analysis/memory/memory_profile.h
struct XprofDefinitions;  // model/analysis/definitions.h

// Owns what analyses share for one trace. Each part is computed on first use, which may take
// seconds, and kept; references stay valid as long as the context lives. Thread-safe: of several
// threads that ask for one part, one computes it and the others wait. A stopped computation returns
// early with an incomplete part, which is kept for nobody else.
class AnalysisContext {
 public:
  AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions);
  ~AnalysisContext();
  const Trace& trace() const { return *trace_; }
  Definitions definitions() const { return definitions_; }
  // The rules of XProf that definitions() asks for, one field each.
  const XprofDefinitions& xprof() const;
  // Typed stats of the events; those of allocations only where the source does not read them apart.
  // Empty where the trace has none or its file cannot be read any more; stats_error() then says
  // why.
  const StatTable& stats(std::stop_token stop = {});
  // Typed stats of the allocations (EventCategory::kMemoryEvent): stats() itself, or a table that
  // only they are in, with texts of its own.
  const StatTable& allocation_stats(std::stop_token stop = {});
  // The tables that hold the typed stats of all events: stats(), and allocation_stats() if it is
  // another one.
  std::vector<const StatTable*> all_stats(std::stop_token stop = {});
  // Why stats() is empty, as a sentence for people; "" if it is not.
  const std::string& stats_error(std::stop_token stop = {});
  // By MetaId, the TimeClass of events on devices (steps/device_classes.h).
  const std::vector<uint8_t>& device_classes();
  const Grouping& grouping(std::stop_token stop = {});
  // The ops that launched kernels, in recordings of PyTorch.
  const LaunchingOps& launching_ops(std::stop_token stop = {});
  // The events of each track in nesting order.
  const EventOrder& order(std::stop_token stop = {});
  // The activity of the hosts' threads, for programs whose device is not the CPU.
  const HostActivity& host_activity(std::stop_token stop = {});
  const StepDatabase& steps(std::stop_token stop = {});
  // The ops that graphs launched again; empty with XProf's definitions.
  const GraphOps& graph_ops(std::stop_token stop = {});
  // Operations of the part of the trace that `params` asks for, on all hosts: params.hosts is
  // ignored, tables choose the hosts. The last four results are kept.
  std::shared_ptr<const OpDatabase> ops(const AnalysisParams& params = {},
                                        std::stop_token stop = {});
  // Allocations of the part that `params` asks for. Large where allocations were recorded, so only
  // the last result is kept, until ReleaseCaches.
  std::shared_ptr<const MemoryProfile> memory(const AnalysisParams& params = {},
                                              std::stop_token stop = {});
  // The HLO programs of the trace. None is decoded before someone asks it for its module.
  const HloPrograms& hlo_programs();
  // HLO ops of the part that `params` asks for; params.hlo is ignored. The last two are kept.
  std::shared_ptr<const HloOpTable> hlo_ops(const AnalysisParams& params = {},
                                            std::stop_token stop = {});
  // PyTorch's ops of the part that `params` asks for; params.hlo is ignored. The last two are kept.
  std::shared_ptr<const TorchOps> torch_ops(const AnalysisParams& params = {},
                                            std::stop_token stop = {});
  // ExposedKinds and ComputePrecision of the steps of the part that `params` asks for, which is
  // what `steps` must be; with `whole` they are the part's span instead. The last two are kept.
  std::shared_ptr<const std::vector<ExposedKind>> exposed_kinds(const AnalysisParams& params,
                                                                bool whole,
                                                                const StepDatabase& steps,
                                                                std::stop_token stop);
  std::shared_ptr<const PrecisionTimes> precision(const AnalysisParams& params, bool whole,
                                                  const StepDatabase& steps, std::stop_token stop);
  // Keeps memory profiles only as long as others hold them. Called when nothing is being computed:
  // they are large, and quick to compute again.
  void ReleaseCaches();
  // The derived tracks: lines and counters that no recording has, set by set.
  std::vector<std::shared_ptr<const TrackSet>> derived(std::stop_token stop = {});
  // The result of the analysis with that id. For analyses that build on others, and for
  // callers that ask twice. The last four results are kept; an unknown id gives a
  // result whose empty_reason says so.
  std::shared_ptr<const AnalysisResult> Get(std::string_view analysis,
                                            const AnalysisParams& params = {},
                                            std::stop_token stop = {});
  // Keeps the result no longer; who holds it owns it.
  void Forget(std::string_view analysis, const AnalysisParams& params = {});

 private:
  struct State;
  std::shared_ptr<const Trace> trace_;
  Definitions definitions_;
  std::unique_ptr<State> state_;
};

// An analysis is of one profile (`run`), or compares two (`compare`); the other function is null.
struct AnalysisDesc {
  const char* id;  // "kernel_stats": report --panel, panel id
  const char* title;
  const char* what;  // one sentence
  AnalysisResult (*run)(AnalysisContext&, const AnalysisParams&, std::stop_token);
  AnalysisResult (*compare)(AnalysisContext& a, AnalysisContext& b, const CompareParams&,
                            std::stop_token) = nullptr;
  // A window shows the result of this one until `run` is done. It takes less time and returns a
  // part of the properties and tables. A result without findings is not shown. Null: none is early.
  AnalysisResult (*first)(AnalysisContext&, const AnalysisParams&, std::stop_token) = nullptr;
};

// Runs an analysis. Names AMD's units with AMD's words where all GPUs are AMD's
// (naming/vendor_words.h), unless XProf's definitions hold. A memory snapshot has no events:
// analyses of events say so in empty_reason.
AnalysisResult RunAnalysis(const AnalysisDesc& analysis, AnalysisContext& context,
                           const AnalysisParams& params, std::stop_token stop);
// AnalysisDesc::what in the same words.
std::string WhatOf(const AnalysisDesc& analysis, const AnalysisContext& context);

std::span<const AnalysisDesc> Analyses();               // of one profile
const AnalysisDesc* FindAnalysis(std::string_view id);  // among them; null if there is none
const AnalysisDesc& Comparison();                       // of two profiles

}  // namespace stepscope
