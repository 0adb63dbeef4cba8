#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "app/bench/reference_scan_chrome.h"
#include "app/bench/reference_scan_xspace.h"
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
TEST_CASE("reference scan: visits every event that the loader reads") {
  const TempDir dir;
  test::GpuProfileOptions options;
  options.steps = 2;
  const std::string path = Write(dir, "gpu.xplane.pb", test::MakeGpuProfile(options));
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  const auto scan = ReferenceScanXSpace(path);
  REQUIRE(scan.ok());
  CHECK(scan->events == (*trace)->counts.events());
  CHECK(scan->milliseconds > 0);
  CHECK(ReferenceScanXSpace((dir.path() / "absent").string()).status().code() == ErrorCode::kIo);
}

TEST_CASE("reference scan: counts the events of a Chrome trace, with and without decoding") {
  const TempDir dir;
  const std::string path = Write(dir, "trace.json", R"({"traceEvents": [
    {"ph": "X", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2, "name": "a"},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 4, "dur": 1, "name": "b"}]})");
  const auto decoded = ReferenceScanChrome(path), touched = TouchScanChrome(path);
  REQUIRE(decoded.ok());
  REQUIRE(touched.ok());
  CHECK(decoded->events == 2);
  CHECK(touched->events == 2);
  CHECK(ReferenceScanChrome(Write(dir, "bad.json", "{\"traceEvents\": [")).status().code() ==
        ErrorCode::kFormat);
}

}  // namespace
}  // namespace stepscope
