// Diagnostics as a panel: what the loader and the profiler reported. Pure; O(rows).
#pragma once

#include "model/analysis/analysis.h"

namespace stepscope {

AnalysisResult RunDiagnostics(AnalysisContext& context, const AnalysisParams& params,
                              std::stop_token stop);

}  // namespace stepscope
