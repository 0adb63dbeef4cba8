// The sums of HLO ops in each step. Pure. O(events of ops * log steps).
#pragma once

#include <string>
#include <vector>

#include "model/analysis/xla/hlo_op_table.h"

namespace stepscope {

struct HloStepSums {
  std::string label;  // the step's number
  HloSums sums;       // time: the length of the step on all devices
};

// One entry for each step of params; an op's costs go to the steps of its events, alike to each
// event. Ops that hold others (loops, calls) are left out.
std::vector<HloStepSums> SumByStep(AnalysisContext& context, const HloOpTable& ops,
                                   const AnalysisParams& params);

}  // namespace stepscope
