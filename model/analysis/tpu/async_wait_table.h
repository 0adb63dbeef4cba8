// The table `async_waits` of the overview: what the cores of TPUs wait for (async_waits.h).
#pragma once

#include <span>

#include "model/analysis/tables/result_table.h"
#include "model/analysis/tpu/async_waits.h"

namespace stepscope {

// `step_ps`: the time of the steps that the waits are of, on all cores. O(waits).
ResultTable AsyncWaitTable(std::span<const AsyncWait> waits, double step_ps);

}  // namespace stepscope
