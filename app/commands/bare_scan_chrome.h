// The yardsticks of `bench` for Chrome traces, by simdjson on demand as its documentation shows it,
// on one thread, as it works on one document. BareScanChrome is what bare_scan_xspace.h is for an
// XSpace: the file mapped anew, every event visited, what a timeline needs of it decoded into
// columns (times, durations, processes, threads, phases, names, places). TouchScanChrome only
// passes over the tokens of a text that is in memory: no number is decoded and nothing is kept.
#pragma once

#include <string>

#include "app/commands/bare_scan_xspace.h"
#include "model/base/status.h"

namespace stepscope {

// A plain (not compressed) file; mapped for the time of the call: not for files that others write
// to. kFormat when simdjson refuses the text, kLimit from 4 GiB on, where its documents end.
Result<BareScanResult> BareScanChrome(const std::string& path);
Result<BareScanResult> TouchScanChrome(const std::string& path);

}  // namespace stepscope
