// The rank of a run of several files for which the others wait in their collectives, for the
// verdict (docs/rules.md#verdict). Any thread.
#pragma once

#include "model/analysis/analysis.h"
#include "model/analysis/steps/verdict.h"

namespace stepscope {

// If collectives lead the verdict and half of their time and more is waiting for the rank that the
// page `ranks` calls slowest, the sentence names that rank, with that page's share and cause; from
// a fifth on it ends with the share and the rank. Asks for the analysis `ranks` only if collectives
// lead and there are several hosts.
void NameLateRank(AnalysisContext& context, const AnalysisParams& params, Verdict* verdict);

}  // namespace stepscope
