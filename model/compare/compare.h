// Compare: what changed from one run to another, in steps, and what the change is made of
// (docs/compare.md). The reports, `check` and tests read its result.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct CompareParams {
  AnalysisParams a, b;  // which part of each run
  bool operator==(const CompareParams&) const = default;
};

struct CompareResult {
  // Properties, tables and findings; the tables' links are to events of a.
  AnalysisResult result;
  // Links of the same rows to events of b, by table.
  std::map<std::string, std::vector<RowLink>, std::less<>> links_b;
  bool has_steps = false;  // both runs have steps; else all of each recording stands for one
};

// Both contexts by our definitions; their traces may be the same. A pure function of them. The runs
// are read side by side. O(events log events).
CompareResult Compare(AnalysisContext& a, AnalysisContext& b, const CompareParams& params,
                      std::stop_token stop);

// The panel that shows of one run what the table compares: "overview" for "classes".
const char* PanelOfComparison(std::string_view table);

}  // namespace stepscope
