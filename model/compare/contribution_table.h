// The table `contributions` (docs/compare.md#contributions). Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/contributions.h"

namespace stepscope::compare {

// `change`: change of the mean step in ms, the whole of which the rows are shares.
void AddContributionTable(const Contributions& found, double change, AnalysisResult* to);

}  // namespace stepscope::compare
