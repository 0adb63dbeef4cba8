// The step-time chart of the HTML report: what each step goes into, as stacked bars.
#pragma once

#include <string>

#include "model/analysis/result_table.h"

namespace stepscope {

// SVG with its legend, from the overview's table `step_losses`; empty without steps. Of many steps
// each bar is the mean of some that follow one another. O(steps).
std::string StepChartSvg(const ResultTable& steps);

}  // namespace stepscope
