// The analysis `diagnostics`: what the loader repaired, dropped or clipped, and what the profiler
// itself reported.
#pragma once

#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct DiagnosticsReport {
  std::vector<Diagnostic> rows;

  static DiagnosticsReport Compute(AnalysisContext& context);
};

}  // namespace stepscope
