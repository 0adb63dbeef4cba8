// The yardsticks of `bench` for Chrome traces, by simdjson's On Demand parser as its
// documentation shows it. It works on one document, so they use one thread. ReferenceScanChrome
// maps the file anew, visits every event and decodes what a timeline needs into columns (times,
// durations, processes, threads, phases, names, places), as ReferenceScanXSpace does for an
// XSpace. TouchScanChrome only passes over the tokens of a text that is in memory: it decodes no
// number and keeps nothing.
#pragma once

#include <string>

#include "app/bench/reference_scan_xspace.h"
#include "model/base/status.h"

namespace stepscope {

// Both take a plain (not compressed) file and map it for the time of the call, so nobody may
// write to it meanwhile. kIo if it cannot be read, kFormat if simdjson refuses the text, kLimit
// from 4 GiB on, the largest document of simdjson.
Result<ReferenceScanResult> ReferenceScanChrome(const std::string& path);
Result<ReferenceScanResult> TouchScanChrome(const std::string& path);

}  // namespace stepscope
