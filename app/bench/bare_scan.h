// The lower bound that `bench` compares loading with: a scan of the same bytes that visits every
// event and writes times, durations, names and places into columns that nobody reads. Of an XSpace
// it visits every stat, too, and uses two threads. A Chrome trace is parsed by simdjson's On Demand
// parser as its documentation shows it, on one thread, because that parser works on one document.
#pragma once

#include <cstdint>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

struct BareScan {
  double ms = 0;  // median of 5 scans, each of which maps the file anew; inflating is not timed
  uint64_t events = 0;
};

// Scans the files of the trace one after the other and adds up what they take. Nobody may write to
// them meanwhile. kIo if a file cannot be read, kFormat if it is not strict JSON, kLimit for JSON
// of 4 GiB, the largest document of simdjson.
Result<BareScan> ScanBare(const Trace& trace, uint64_t max_inflated_bytes);

}  // namespace stepscope
