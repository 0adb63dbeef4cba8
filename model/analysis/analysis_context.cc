#include <map>
#include <mutex>

#include "model/analysis/analysis.h"
#include "model/analysis/derived_lines.h"
#include "model/analysis/event_order.h"
#include "model/analysis/grouping.h"
#include "model/analysis/kernel_stats.h"
#include "model/analysis/op_stats.h"
#include "model/analysis/steps.h"

namespace stepscope {
namespace {

// A value computed on first use. Of several threads that ask at once one computes and the others
// wait. What a stopped computation left is handed out but computed anew the next time; references
// stay valid either way.
template <typename T>
class Lazy {
 public:
  template <typename Fn>
  const T& Get(std::stop_token stop, Fn compute) {
    std::lock_guard lock(mutex_);
    if (value_) return *value_;
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

struct LoadedStats {
  std::shared_ptr<const StatTable> table;
  std::string error;
};

LoadedStats LoadStats(const Trace& trace, std::stop_token stop) {
  LoadedStats loaded;
  if (!trace.source) {
    loaded.error = "this trace has no stats";
  } else {
    Result<std::shared_ptr<const StatTable>> result = trace.source->LoadTyped(trace, stop);
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
  Lazy<LoadedStats> stats;
  Lazy<EventOrder> order;
  Lazy<Grouping> grouping;
  Lazy<StepDatabase> steps;
  Lazy<OpDatabase> ops;
  Lazy<std::vector<std::shared_ptr<const TrackSet>>> derived;
  std::mutex results_mutex;  // guards the map; each result has its own lock
  std::map<std::pair<std::string, std::string>, Lazy<AnalysisResult>> results;
};

AnalysisContext::AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions)
    : trace_(std::move(trace)), definitions_(definitions), state_(std::make_unique<State>()) {}

AnalysisContext::~AnalysisContext() = default;

const StatTable& AnalysisContext::stats(std::stop_token stop) {
  return *state_->stats.Get(stop, [&] { return LoadStats(*trace_, stop); }).table;
}

const std::string& AnalysisContext::stats_error(std::stop_token stop) {
  return state_->stats.Get(stop, [&] { return LoadStats(*trace_, stop); }).error;
}

const EventOrder& AnalysisContext::order(std::stop_token stop) {
  return state_->order.Get(stop, [&] { return BuildEventOrder(*trace_, xprof(), stop); });
}

const Grouping& AnalysisContext::grouping(std::stop_token stop) {
  const StatTable& table = stats(stop);
  const EventOrder& events = order(stop);
  return state_->grouping.Get(stop,
                              [&] { return BuildGrouping(*trace_, table, events, xprof(), stop); });
}

const StepDatabase& AnalysisContext::steps(std::stop_token stop) {
  grouping(stop);
  return state_->steps.Get(stop, [&] { return BuildSteps(*this, stop); });
}

const OpDatabase& AnalysisContext::ops(std::stop_token stop) {
  grouping(stop);
  return state_->ops.Get(stop, [&] { return BuildOps(*this, stop); });
}

std::vector<std::shared_ptr<const TrackSet>> AnalysisContext::derived(std::stop_token stop) {
  grouping(stop);
  return state_->derived.Get(stop, [&] { return BuildDerivedLines(*this, stop); });
}

const AnalysisResult& AnalysisContext::Get(std::string_view analysis, const std::string& host,
                                           std::stop_token stop) {
  Lazy<AnalysisResult>* slot = nullptr;
  {
    std::lock_guard lock(state_->results_mutex);
    slot = &state_->results[{std::string(analysis), host}];
  }
  return slot->Get(stop, [&] {
    // The row in the registry hands out what is kept here, so it must not be asked.
    if (analysis == "kernel_stats") return RunKernelStats(*this, {host, {}}, stop);
    const AnalysisDesc* desc = FindAnalysis(analysis);
    if (desc) return desc->run(*this, AnalysisParams{host, {}}, stop);
    AnalysisResult none;
    none.empty_reason = "there is no analysis '" + std::string(analysis) + "'";
    return none;
  });
}

}  // namespace stepscope
