// The analysis `findings` (docs/findings.md): what to fix first. All rules over what other analyses
// share, as tables: `findings`, `what_if`, `gap_causes`, `gaps`, `rules`. Nothing is found with
// XProf's definitions. O(device events + causes) beside what it asks the context for.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/finding.h"

namespace stepscope {

AnalysisResult FindAll(AnalysisContext& context, const AnalysisParams& params,
                       const FindingThresholds& thresholds, std::stop_token stop);

// Titles of the findings of a rule that are at least so severe: what a check that forbids the rule
// prints. `result` is of the analysis `findings`.
std::vector<std::string> FindingsOfRule(const AnalysisResult& result, std::string_view rule,
                                        FindingSeverity least = FindingSeverity::kNote);

// The column `events` of the table `findings` counts the events of a row; data has each of them.
inline constexpr std::string_view kFindingEvents = "events";

}  // namespace stepscope
