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
// "+13 %", "+0.42 %"
std::string PercentText(double percent);
// Says the comparison in sentences, as findings: what makes it doubtful, the difference with its
// significance and causes, and what else differs. The page of the difference is "compare".
void AddSummary(const StepChange& change, const Contributions& found,
                const std::vector<ProfileDifference>& differences, AnalysisResult* to);
// Inserts the findings as the first property: a paragraph that can be pasted into a message.
void AddSummaryProperty(AnalysisResult* to);

}  // namespace stepscope::compare
