// The properties of a comparison: its main numbers and a summary in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/compare/contributions.h"
#include "model/compare/profile_differences.h"
#include "model/compare/step_tables.h"

namespace stepscope::compare {

void AddProperties(const StepChange& change, const Contributions& found, const ComparedSteps& a,
                   const ComparedSteps& b, AnalysisResult* to);
// Inserts the summary as the first property: a paragraph that can be pasted into a message.
void AddSummary(const StepChange& change, const Contributions& found,
                const std::vector<ProfileDifference>& differences, AnalysisResult* to);

}  // namespace stepscope::compare
