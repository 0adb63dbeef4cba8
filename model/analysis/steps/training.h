// Whether the program trains: one rule for all formats (docs/rules.md#overview, "Training").
#pragma once

#include "model/analysis/analysis.h"

namespace stepscope {

// By the task that the file records; else true if the name of any event, framework op or HLO
// instruction is one of an optimizer or of a backward pass. O(names).
bool IsTraining(AnalysisContext& context);

}  // namespace stepscope
