// ComparedSteps: the steps of one profile that are compared, and which of them are outliers
// (docs/compare.md#steps). Times are in ms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"

namespace stepscope::compare {

struct ComparedSteps {
  std::shared_ptr<const StepDatabase> db;
  std::vector<bool> typical;                   // by step of `db`: it counts and is no outlier
  std::vector<double> times;                   // ms, by index into `counted`
  std::vector<const Step*> counted, outliers;  // steps of `db` that count; outliers among them
  StepSummary summary;                         // statistics of the counted steps
  double typical_mean = 0;                     // ms: mean of the typical steps
  bool found = false;  // false: the profile has no steps; the whole recording is one
};

// The steps of the part `params` that count in averages. Among 5 or more, a step is an outlier if
// it lies further from the median than 5 robust deviations (1.4826 MAD) and a fifth of the median.
// If more than one in five would be outliers, none is (docs/compare.md#steps). O(steps log steps),
// or O(events) for a profile without steps.
ComparedSteps ChooseSteps(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope::compare
