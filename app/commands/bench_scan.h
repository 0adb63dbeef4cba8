// The lower bound that `bench` compares loading with: a bare scan of the same bytes.
#pragma once

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// Milliseconds, the median of 5 scans with 2 threads, over the files of the trace (inflated before,
// not timed).
Result<double> MedianScanMs(const Trace& trace, uint64_t max_inflated_bytes);

}  // namespace stepscope
