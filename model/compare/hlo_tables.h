// Tables that put side by side what the pages of XLA's programs say of each profile. Pure.
#pragma once

#include <stop_token>

#include "model/compare/compare_table.h"
#include "model/compare/compared_profile.h"

namespace stepscope::compare {

// The tables `hlo_ops` (self time of each op of a program, known by module and name) and
// `hlo_categories`, in an average step of one device. Adds nothing if neither profile has HLO ops.
// O(events of ops + ops log ops), and the decoding of the programs that ran.
void AddHloTables(const ComparedProfile& a, const ComparedProfile& b, AnalysisResult* to,
                  std::stop_token stop);

}  // namespace stepscope::compare
