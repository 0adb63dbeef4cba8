// Tables that put side by side what the pages Input pipeline and Memory say of each profile. Pure.
#pragma once

#include "model/compare/compared_profile.h"

namespace stepscope::compare {

// The table `input_ops`: self times of input operations in an average step.
// Adds nothing if neither profile has any.
void AddInputTable(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to);
// The tables `memory` (peaks of allocators, and what was live at them by region) and `allocations`
// (those that changed), and the two peaks as properties. Adds nothing if neither profile has any.
void AddMemoryTables(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to);

}  // namespace stepscope::compare
