// The yardstick of `bench`: how long simdjson on demand needs to read every key of every event of a
// Chrome trace, keeping nothing. One thread, as the library has it.
#pragma once

#include <cstdint>
#include <string>

#include "loaders/xplane/bare_scan.h"
#include "model/base/status.h"

namespace stepscope {

// A file of any compression; inflating is not part of the time. kFormat when simdjson refuses the
// text, kLimit from 4 GiB on, where its documents end.
Result<BareScanResult> BareScanChrome(const std::string& path, uint64_t max_inflated_bytes);

}  // namespace stepscope
