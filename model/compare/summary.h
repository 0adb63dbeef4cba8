// The comparison in numbers and in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/compare/contributions.h"
#include "model/compare/run_facts.h"
#include "model/compare/step_tables.h"

namespace stepscope {

void AddProperties(const StepChange& change, const Contributions& found, const RunSteps& a,
                   const RunSteps& b, CompareResult* to);
// One paragraph that can be pasted into a message: the first property.
void AddSummary(const StepChange& change, const Contributions& found,
                const std::vector<RunDifference>& differences, CompareResult* to);

}  // namespace stepscope
