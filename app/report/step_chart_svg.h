// The step-time chart of the HTML report: stacked bars of what each step's time goes into.
#pragma once

#include <string>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

// Returns SVG with its legend, from the overview's table `step_losses`; empty without steps. If
// there are many steps, each bar is the mean of some consecutive ones. O(steps).
std::string StepChartSvg(const ResultTable& steps);

}  // namespace stepscope
