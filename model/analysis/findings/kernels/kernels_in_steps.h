// The table `kernels` of the steps that findings are of. Pure; any thread.
#pragma once

#include <stop_token>

#include "model/analysis/devices/step_spans.h"
#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

// The table with the times, numbers and links of the kernels that begin in the spans; a row without
// such a kernel has none of them. The same table if no device has spans. O(kernels log lanes),
// parallel over rows.
ResultTable KernelsInSteps(const Trace& trace, const ResultTable& kernels, const StepSpans& spans,
                           std::stop_token stop);

}  // namespace stepscope
