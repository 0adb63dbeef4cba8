// ComparedProfile: one side of a comparison, profile A or B. Borrows the context and the params.
#pragma once

#include "model/analysis/analysis.h"
#include "model/compare/compared_steps.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

struct ComparedProfile {
  AnalysisContext& context;
  const AnalysisParams& params;  // which part of it
  ComparedSteps steps;
  StepItems items;  // what its average step consists of; empty if no step counts
};

}  // namespace stepscope::compare
