// The table `contributions`. Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/contributions.h"

namespace stepscope {

// `change`: of the mean step, ms: what the shares are of.
void AddContributionTable(const Contributions& found, double change, CompareResult* to);

}  // namespace stepscope
