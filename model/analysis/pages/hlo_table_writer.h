// The pages of HLO ops share this: why there are no ops, what limits a table, and the cells of an
// op. Internal to the pages.
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_op_table.h"

namespace stepscope {

inline constexpr size_t kXprofRooflineRows = 1000;

// Why the page shows no ops, and what to record; "" if there are some.
std::string NoHloOps(AnalysisContext& context, const HloOpTable& table);
// The facts that all pages of HLO ops tell: peaks, unknown costs, dropped events.
void AddHloFacts(const HloOpTable& table, AnalysisResult* result);

// XProf's "Yes" or "No": whether the op was computed again to save memory.
std::string_view Rematerialized(const HloOp& op);
RowLink LinkTo(const HloOp& op);

}  // namespace stepscope
