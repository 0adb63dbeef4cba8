// The yardstick of `bench`: how long a bare scan of an XSpace takes. It visits every event and
// every stat and writes offsets, durations, names and places into columns that nobody reads. Bounds
// are checked.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/status.h"

namespace stepscope {

struct BareScanResult {
  double milliseconds = 0;  // median of 5
  uint64_t events = 0;
};

// A plain (not compressed) file. It is mapped for the time of the call: not for files that others
// write to.
Result<BareScanResult> BareScan(const std::string& path, unsigned threads = 2);

}  // namespace stepscope
