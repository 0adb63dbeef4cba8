// Whether a trace has anything in the part that a question is about.
#pragma once

#include "model/analysis/analysis.h"
#include "model/base/status.h"

namespace stepscope {

// kUsage, with what there is, where the trace lacks the host, or has nothing in the range or in the
// steps. The message begins with the name of the parameter. Computes steps only if params name
// some.
Status PartStatus(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
