#include "app/commands/bench_scan.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "loaders/byte_source.h"

#if __has_include("loaders/xplane/bare_scan.h")
#include "loaders/xplane/bare_scan.h"
#endif
#if __has_include("loaders/chrome_json/bare_scan.h")
#include "loaders/chrome_json/bare_scan.h"
#endif

namespace stepscope {

Result<double> MedianScanMs(const Trace&) {
  return Status(ErrorCode::kUnsupported, "no bare scan of this format");
}

}  // namespace stepscope
