// Whether a trace has anything in the part that AnalysisParams ask for.
#pragma once

#include "model/analysis/analysis.h"
#include "model/base/status.h"

namespace stepscope {

// OK, or kUsage where the trace lacks the host, or has nothing in the range or the steps; the
// message begins with the name of the parameter and says what there is. Computes steps only if
// params name some.
Status ScopeStatus(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
