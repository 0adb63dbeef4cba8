// RunSteps: the steps of open runs, taken from their overviews in the background: a table may have
// a million of them. What is known is kept until the next is there. UI thread only.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/base/latest_job.h"
#include "viewer/core/run.h"

namespace stepscope {

class RunSteps {
 public:
  explicit RunSteps(JobThreads& threads) : threads_(threads) {}
  // Takes the steps from an overview of the run, once for each. Null: not computed yet.
  void Use(TraceId run, std::shared_ptr<const AnalysisResult> overview);
  // Once a frame: fills in Run::steps where they are known, forgets runs that are gone. True when
  // some run's steps changed. O(runs).
  bool Update(std::span<Run> runs);

 private:
  using Steps = std::shared_ptr<const std::vector<StepMarker>>;
  struct Known {
    TraceId run;
    uint64_t serial = 0;  // of the overview that the steps are from
    Steps steps;
    LatestJob<Steps> job;
  };
  Known* Find(TraceId run);

  JobThreads& threads_;
  std::list<Known> known_;
};

}  // namespace stepscope
