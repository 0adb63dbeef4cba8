// ComparisonVerdict: what a comparison says in one sentence, for the strip under the menu bar.
// Pure.
#pragma once

#include <string>

#include "model/analysis/analysis.h"
#include "viewer/core/look/theme.h"

namespace stepscope {

struct ComparisonVerdict {
  std::string text;           // "B takes 1.15 ms (14.7 %) longer a step: Conv2D slower, +1.15 ms."
  Role role = Role::kText2;   // the colour of slower, faster, or neither
  double ms_a = 0, ms_b = 0;  // median steps; 0: there are none
};

// `result` is a comparison of two profiles (model/compare/compare.h). The text is empty where there
// is nothing to compare. O(1)
ComparisonVerdict VerdictOf(const AnalysisResult& result);

}  // namespace stepscope
