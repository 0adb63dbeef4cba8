// The lower bound that `bench` compares loading with: a scan of the same bytes that does nothing
// but read them (reference_scan_xspace.h, reference_scan_chrome.h). The scans are part of the
// program because its output has their times.
#pragma once

#include <cstdint>
#include <optional>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// Milliseconds, each the median of 5 scans, summed over the files of the trace. Files are
// inflated before and that is not timed. XSpaces are scanned with 2 threads, Chrome traces with
// one. Only Chrome traces have `touch_ms` (reference_scan_chrome.h).
struct ScanTimes {
  double scan_ms = 0;
  std::optional<double> touch_ms;
};
Result<ScanTimes> MedianScans(const Trace& trace, uint64_t max_inflated_bytes);

}  // namespace stepscope
