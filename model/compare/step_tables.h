// The tables `steps` and `classes`: how the step times changed, and the classes of time that they
// are divided into. Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/compared_steps.h"
#include "model/compare/significance.h"

namespace stepscope::compare {

struct StepChange {  // ms
  StepSummary a, b;
  RankTest test;       // compares the counted steps' times
  bool found = false;  // both profiles have steps; if not, each whole recording is one
  double delta() const { return b.median - a.median; }
  double mean_delta() const { return b.mean - a.mean; }
};
StepChange ChangeOfSteps(const ComparedSteps& a, const ComparedSteps& b);

void AddStepTable(const ComparedSteps& a, const ComparedSteps& b, AnalysisResult* to);
// The means of the classes sum to the mean step. Classes that neither profile has are left out.
void AddClassTable(const ComparedSteps& a, const ComparedSteps& b, AnalysisResult* to);

}  // namespace stepscope::compare
