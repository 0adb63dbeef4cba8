// RunSteps: the steps of one run that are compared, and which of them are out of line
// (docs/compare.md#steps).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps.h"

namespace stepscope {

struct RunSteps {
  std::shared_ptr<const StepDatabase> db;
  std::vector<bool> typical;  // by step: counts, and is no outlier
  std::vector<double> times;  // ms, of those that count, in order
  std::vector<const Step*> counted, outliers;
  StepSummary summary;      // of those that count
  double typical_mean = 0;  // ms
  bool found = false;       // else all of the recording stands for a step
};

// Steps that count in averages. Of 5 and more those are outliers that lie further from the median
// than 5 robust deviations (1.4826 MAD) and a fifth of it, if they are at most one in five.
RunSteps ChooseSteps(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop);

}  // namespace stepscope
