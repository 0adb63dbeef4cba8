// The lower bound that `bench` compares loading with: a bare scan of the same bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// Milliseconds, medians of 5, over the files of the trace (inflated before, not timed): with 2
// threads for XSpaces, with one for Chrome traces. `touch_ms` is of Chrome traces only: see
// app/commands/bare_scan_chrome.h.
struct ScanTimes {
  double scan_ms = 0;
  std::optional<double> touch_ms;
};
Result<ScanTimes> MedianScans(const Trace& trace, uint64_t max_inflated_bytes);

}  // namespace stepscope
