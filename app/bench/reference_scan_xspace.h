// The yardstick of `bench` for XSpaces: a scan that visits every event and every stat and writes
// offsets, durations, names and places into columns that nobody reads. Bounds are checked.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/status.h"

namespace stepscope {

struct ReferenceScanResult {
  double milliseconds = 0;  // median of 5 scans
  uint64_t events = 0;
};

// Takes a plain (not compressed) file and maps it for the time of the call, so nobody may write
// to it meanwhile. kIo if it cannot be read.
Result<ReferenceScanResult> ReferenceScanXSpace(const std::string& path, unsigned threads = 2);

}  // namespace stepscope
