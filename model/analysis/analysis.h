// Analyses: pure functions from immutable inputs to tables. Adding one touches its source, a row in
// registry.cc, its test.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/params.h"
#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

enum class Definitions : uint8_t { kStepscope, kXprof };  // --compat xprof

// What analyses share for one trace: typed stats and grouping, computed once each, on first use.
// Thread-safe.
struct Grouping;       // model/analysis/grouping.h
struct EventOrder;     // model/analysis/event_order.h
struct StepDatabase;   // model/analysis/steps.h
struct OpDatabase;     // model/analysis/op_database.h
struct MemoryProfile;  // model/analysis/memory_profile.h
struct Quirks;         // model/analysis/quirks.h
class AnalysisContext {
 public:
  AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions);
  ~AnalysisContext();
  const Trace& trace() const { return *trace_; }
  Definitions definitions() const { return definitions_; }
  const Quirks& quirks() const;  // model/analysis/quirks.h: what of XProf is followed
  // Typed stats; an empty table (and a diagnostic) when the source cannot be read.
  const StatTable& stats(std::stop_token stop = {});
  const std::string& stats_error(std::stop_token stop = {});  // why the table is empty, or ""
  const Grouping& grouping(std::stop_token stop = {});
  const EventOrder& order(std::stop_token stop = {});  // events of each track in nesting order
  const StepDatabase& steps(std::stop_token stop = {});
  // Hosts aside: the database has all of them. The last few asked for are kept.
  std::shared_ptr<const OpDatabase> ops(const AnalysisParams& params = {},
                                        std::stop_token stop = {});
  // The last one asked for is kept until LetGo: it is large where allocations were recorded.
  std::shared_ptr<const MemoryProfile> memory(const AnalysisParams& params = {},
                                              std::stop_token stop = {});
  // When nothing is computed any more: what is large and quick to compute again lives no longer
  // than those who hold it.
  void LetGo();
  std::vector<std::shared_ptr<const TrackSet>> derived(
      std::stop_token stop = {});  // derived GPU lines as tracks
  // Results for analyses that build on others, computed once. The last few asked for are kept.
  std::shared_ptr<const AnalysisResult> Get(std::string_view analysis,
                                            const AnalysisParams& params = {},
                                            std::stop_token stop = {});
  // Does not keep the result any longer: who holds it owns it.
  void Forget(std::string_view analysis, const AnalysisParams& params = {});

 private:
  struct State;
  std::shared_ptr<const Trace> trace_;
  Definitions definitions_;
  std::unique_ptr<State> state_;
};

struct AnalysisDesc {
  const char* id;  // "kernel_stats": report --panel, panel id
  const char* title;
  const char* what;  // one sentence
  AnalysisResult (*run)(AnalysisContext&, const AnalysisParams&, std::stop_token);
};

// What an analysis finds, in the words of those who made the GPUs: --compat xprof keeps XProf's.
AnalysisResult RunAnalysis(const AnalysisDesc& analysis, AnalysisContext& context,
                           const AnalysisParams& params, std::stop_token stop);
// AnalysisDesc::what in the same words.
std::string WhatOf(const AnalysisDesc& analysis, const AnalysisContext& context);

std::span<const AnalysisDesc> Analyses();
const AnalysisDesc* FindAnalysis(std::string_view id);

}  // namespace stepscope
