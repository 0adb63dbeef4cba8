// The analysis `findings`: what to fix first, and how much of a step that saves
// (docs/findings.md). In: steps with their losses and idle causes, kernels, ops and memory of the
// context. Out: the tables `findings`, `what_if`, `gap_causes`, `gaps` and `rules`. Start with
// finding.h (what a rule is) and rules.cc (the list); FindingContext is what rules read, and each
// *_rule(s).cc holds rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/finding.h"

namespace stepscope {

AnalysisResult FindAll(AnalysisContext& context, const AnalysisParams& params,
                       const FindingThresholds& thresholds);

// The titles of a rule's findings that are at least so severe, for a check that forbids the rule.
// `result` must be of the analysis `findings`.
std::vector<std::string> FindingsOfRule(const AnalysisResult& result, std::string_view rule,
                                        FindingSeverity least = FindingSeverity::kNote);

// The column of the table `findings` that counts a row's events; JSON lists the events
// themselves.
inline constexpr std::string_view kFindingEvents = "events";

}  // namespace stepscope
