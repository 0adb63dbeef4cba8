#include "app/bench/bare_scan.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "loaders/loader.h"
#include "tests/app/temp_dir.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 30;

std::string Write(const TempDir& dir, const char* name, const std::string& bytes) {
  const std::string path = (dir.path() / name).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// A scan that skips events would make loading look slow for no reason.
void CheckVisitsAll(const std::string& path) {
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  const auto scan = ScanBare(**trace, kLimit);
  REQUIRE(scan.ok());
  CHECK(scan->events == (*trace)->counts.events());
  CHECK(scan->events > 0);
  CHECK(scan->ms > 0);
}

Status ScanOf(const std::string& path, const TraceFormat* format) {
  Trace trace;
  trace.format = format;
  trace.hosts.push_back({});
  trace.hosts.back().file = path;
  return ScanBare(trace, kLimit).status();
}

TEST_CASE("bare scan: visits every event that the loader reads") {
  const TempDir dir;
  test::GpuProfileOptions options;
  options.steps = 2;
  CheckVisitsAll(Write(dir, "gpu.xplane.pb", test::MakeGpuProfile(options)));
  CheckVisitsAll(Write(dir, "trace.json", R"({"traceEvents": [
    {"ph": "X", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2, "name": "a"},
    {"ph": "X", "pid": 1, "tid": 2, "ts": 4, "dur": 1, "name": "b"}]})"));
}

TEST_CASE("bare scan: says which file cannot be scanned") {
  const TempDir dir;
  Progress progress;
  const auto chrome =
      LoadPath(Write(dir, "good.json", R"([{"ph": "X", "ts": 1, "dur": 2}])"), {}, {}, progress);
  REQUIRE(chrome.ok());
  const TraceFormat* format = (*chrome)->format;
  CHECK(ScanOf((dir.path() / "absent").string(), format).code() == ErrorCode::kIo);
  CHECK(ScanOf(Write(dir, "bad.json", "{\"traceEvents\": ["), format).code() == ErrorCode::kFormat);
}

}  // namespace
}  // namespace stepscope
