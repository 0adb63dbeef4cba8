// Progress of loading several files: it counts their bytes on the disk, whose sum is known from the
// start.
#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "loaders/loader.h"
#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/loaders/compress.h"
#include "tests/support/shape_profiles.h"

namespace stepscope {
namespace {

// The progress as a window would see it that reads it all the time.
struct Seen {
  bool total_changed = false, backwards = false, beyond = false;
};

Seen Watch(const Progress& progress, const std::atomic<bool>& done) {
  Seen seen;
  uint64_t total = 0, bytes = 0;
  while (!done) {
    const uint64_t b = progress.bytes_done, t = progress.bytes_total;
    seen.total_changed = seen.total_changed || (total != 0 && t != total);
    seen.backwards = seen.backwards || b < bytes;
    seen.beyond = seen.beyond || (t != 0 && b > t);
    total = t;
    bytes = b;
    std::this_thread::yield();
  }
  return seen;
}

void CheckProgress(const std::vector<std::string>& paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) bytes += std::filesystem::file_size(path);
  Progress progress;
  std::atomic<bool> done{false};
  Seen seen;
  std::jthread window([&] { seen = Watch(progress, done); });
  const auto trace = LoadPaths(paths, {}, {}, progress);
  done = true;
  window.join();
  REQUIRE(trace.ok());
  CHECK(!seen.total_changed);
  CHECK(!seen.backwards);
  CHECK(!seen.beyond);
  CHECK(progress.bytes_total == bytes);
  CHECK(progress.bytes_done == bytes);
}

TEST_CASE("Eight compressed files: the total is known at once, and what is done only grows") {
  const TempFolder folder;
  std::vector<std::string> spaces, traces;
  for (int i = 0; i < 8; ++i) {
    const auto n = static_cast<uint32_t>(2'000 * (i + 1));
    const std::string name = "host" + std::to_string(i);
    spaces.push_back(
        folder.Add(name + ".xplane.pb.gz", Gzip(test::XSpaceShape(test::Shape::kNames, n))));
    traces.push_back(
        folder.Add(name + ".json.gz", Gzip(test::ChromeShape(test::Shape::kNames, n))));
  }
  CheckProgress(spaces);
  CheckProgress(traces);
  spaces[3] = folder.Add("plain.xplane.pb", test::XSpaceShape(test::Shape::kNames, 9'000));
  CheckProgress(spaces);
}

}  // namespace
}  // namespace stepscope
