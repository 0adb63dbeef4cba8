// Tables that put side by side what the pages of XLA's programs say of each profile. Pure.
#pragma once

#include "model/compare/compared_profile.h"

namespace stepscope::compare {

// The tables `hlo_ops` (self time of each op of a program, known by module and name) and
// `hlo_categories`, in an average step of one device. Adds nothing if neither profile has HLO ops.
// O(ops log ops).
void AddHloTables(const PageAmounts& a, const PageAmounts& b, AnalysisResult* to);

}  // namespace stepscope::compare
