#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "app/commands/bare_scan_chrome.h"
#include "app/commands/bare_scan_xspace.h"
#include "loaders/loader.h"
#include "tests/app/temp_dir.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

std::string Write(const TempDir& dir, const char* name, const std::string& bytes) {
  const std::string path = (dir.path() / name).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// A yardstick that skips events would make loading look slow for no reason.
TEST_CASE("bare scan: visits every event that the loader reads") {
  const TempDir dir;
  test::GpuProfileOptions options;
  options.steps = 2;
  const std::string path = Write(dir, "gpu.xplane.pb", test::MakeGpuProfile(options));
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  const auto scan = BareScan(path);
  REQUIRE(scan.ok());
  CHECK(scan->events == (*trace)->counts.events());
  CHECK(scan->milliseconds > 0);
  CHECK(BareScan((dir.path() / "absent").string()).status().code() == ErrorCode::kIo);
}

TEST_CASE("bare scan: of a Chrome trace, decoded and by tokens only") {
  const TempDir dir;
  const std::string path = Write(dir, "trace.json", R"({"traceEvents": [
    {"ph": "X", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2, "name": "a"},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 4, "dur": 1, "name": "b"}]})");
  const auto decoded = BareScanChrome(path), touched = TouchScanChrome(path);
  REQUIRE(decoded.ok());
  REQUIRE(touched.ok());
  CHECK(decoded->events == 2);
  CHECK(touched->events == 2);
  CHECK(BareScanChrome(Write(dir, "bad.json", "{\"traceEvents\": [")).status().code() ==
        ErrorCode::kFormat);
}

}  // namespace
}  // namespace stepscope
