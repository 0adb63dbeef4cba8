// Which part of a trace a command is about: --host, --range and --steps.
#pragma once

#include "app/options.h"
#include "model/analysis/analysis.h"

namespace stepscope {

AnalysisParams PartOf(const Options& options);
// False, with the error printed in one line, where the trace has nothing there. Steps are computed
// only if some are asked for.
bool CheckPart(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
