// The properties of a comparison: its main numbers and a summary in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope::compare {

struct StepComparison;  // model/compare/compare.h

std::vector<Property> PropertiesOf(const StepComparison& comparison);
// "+13 %", "+0.42 %"
std::string PercentText(double percent);
// Says the comparison in sentences, as findings: what makes it doubtful, the difference with its
// significance and causes, and what else differs. The page of the difference is "compare".
void AddSummary(const StepComparison& comparison, AnalysisResult* to);
// The findings as a paragraph that can be pasted into a message; empty if there are none.
std::string SummaryOf(const AnalysisResult& comparison);
// Inserts it as the first property.
void AddSummaryProperty(AnalysisResult* to);

}  // namespace stepscope::compare
