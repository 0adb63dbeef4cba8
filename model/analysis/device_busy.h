// How busy devices are: the time with any of their events, from the first to the last.
#pragma once

#include "model/analysis/params.h"
#include "model/analysis/steps.h"
#include "model/trace.h"

namespace stepscope {

// Mean over the devices with events, of hosts that are asked for. Of a program without devices: the
// time in ops, of the steps. Of a range: what lies in it. O(device events).
double BusyPercent(const Trace& trace, const StepDatabase& db, const AnalysisParams& params);

}  // namespace stepscope
