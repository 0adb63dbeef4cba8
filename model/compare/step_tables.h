// How the step times changed, and the classes of time that they are divided into. Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/run_steps.h"
#include "model/compare/significance.h"

namespace stepscope {

struct StepChange {  // ms
  StepSummary a, b;
  RankTest test;  // of the step times
  double delta() const { return b.median - a.median; }
  double mean_delta() const { return b.mean - a.mean; }
};
StepChange ChangeOfSteps(const RunSteps& a, const RunSteps& b);

void AddStepTable(const RunSteps& a, const RunSteps& b, CompareResult* to);
// The means of the classes sum to the mean step.
void AddClassTable(const RunSteps& a, const RunSteps& b, CompareResult* to);

}  // namespace stepscope
