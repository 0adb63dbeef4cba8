// Whether the program trains, by one rule for all formats (docs/rules.md#overview).
#pragma once

#include <stop_token>

#include "model/analysis/analysis.h"

namespace stepscope {

// What the file says of its task, else: any name of an event, framework op or HLO instruction
// belongs to an optimizer or to a backward pass. O(names).
bool IsTraining(AnalysisContext& context, std::stop_token stop);

}  // namespace stepscope
