// The analysis `findings`: what to fix first, and how much of a step that saves
// (docs/findings.md). In: steps with their losses and idle causes, kernels, ops and memory of the
// context. Out: the tables `findings`, `what_if`, `gap_causes`, `gaps` and `rules`. Start with
// finding.h (what a rule is) and rules.cc (the list); FindingContext is what rules read, and each
// *_rule(s).cc holds rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/finding.h"

namespace stepscope {

// A finding of a rule, in the words that people see. Its threshold, unit and remedy are set.
struct RankedFinding : RuleFinding {
  const FindingRule* rule = nullptr;
  FindingSeverity severity = FindingSeverity::kNote;
  std::string host_names, device_names, step_numbers;  // "0..4, 7"
};

struct Findings {
  std::string verdict;                // Verdict::id
  std::optional<double> step_ms;      // an average step; absent where hardly any work was recorded
  std::vector<RankedFinding> ranked;  // the verdict's rule first, then by falling saving
  int64_t CountOf(FindingSeverity severity) const;
};

// kBad for a problem.
Finding::Grade GradeOf(FindingSeverity severity);

// The page, whose source is Findings unless `empty_reason` is set.
AnalysisResult FindAll(AnalysisContext& context, const AnalysisParams& params,
                       const FindingThresholds& thresholds);

// The titles of a rule's findings that are at least so severe, for a check that forbids the rule.
// `result` must be of the analysis `findings`.
std::vector<std::string> FindingsOfRule(const AnalysisResult& result, std::string_view rule,
                                        FindingSeverity least = FindingSeverity::kNote);

// The table of Findings::ranked, and its column that counts a row's events; JSON lists the events
// themselves.
inline constexpr const char* kFindingTable = "findings";
inline constexpr const char* kFindingEvents = "events";

}  // namespace stepscope
