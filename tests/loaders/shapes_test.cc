// Profiles that have one thing many times: memory by their number, and the cost of tables of names.
// Time is measured with tests/tools/make_shape.cc.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "loaders/chrome_json/event.h"
#include "loaders/loader.h"
#include "tests/support/growth.h"
#include "tests/support/sanitized.h"
#include "tests/support/shape_profiles.h"

namespace stepscope {
namespace {

using test::Shape;

constexpr uint32_t kCount = 60'000;
constexpr int64_t kMostBytes =
    2048;  // an item, beyond the input: enough for a process with a thread

std::string MakeShape(bool json, Shape shape, uint32_t n) {
  return json ? test::ChromeShape(shape, n) : test::XSpaceShape(shape, n);
}

// The peak memory of loading, measured in a process of its own; -1 when loading failed.
int64_t PeakBytes(bool json, const std::string& bytes) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    std::string own = bytes;
    const auto trace = LoadBytes(json ? "shape.json" : "shape.xplane.pb", std::move(own), {});
    getrusage(RUSAGE_SELF, &after);
    const int64_t grown = trace.ok() ? (after.ru_maxrss - before.ru_maxrss) * 1024 : -1;
    const bool sent = write(ends[1], &grown, sizeof grown) == sizeof grown;
    _exit(sent ? 0 : 1);
  }
  int64_t grown = -1;
  int status = 1;
  REQUIRE(read(ends[0], &grown, sizeof grown) == sizeof grown);
  REQUIRE(waitpid(child, &status, 0) == child);
  close(ends[0]);
  close(ends[1]);
  return status == 0 ? grown : -1;
}

TEST_CASE("A million of anything takes at most 2 KB each") {
  if (kSanitized) {
    MESSAGE("SKIPPED: a sanitizer's memory is not the program's");
    return;
  }
  for (const bool json : {true, false}) {
    const int64_t least = PeakBytes(json, MakeShape(json, Shape::kNames, 100));
    REQUIRE(least >= 0);
    for (const Shape shape : test::kAllShapes) {
      const std::string bytes = MakeShape(json, shape, kCount);
      const int64_t peak = PeakBytes(json, bytes);
      REQUIRE(peak > 0);
      const int64_t each = (peak - least - static_cast<int64_t>(bytes.size())) / kCount;
      CAPTURE(json);
      CAPTURE(test::NameOf(shape));
      MESSAGE(test::NameOf(shape) << (json ? ", chrome: " : ", xspace: ") << each << " bytes each");
      CHECK(each <= kMostBytes);
    }
  }
}

TEST_CASE("Every item of a shape is loaded") {
  constexpr uint32_t n = 1'000;
  for (const bool json : {true, false}) {
    for (const Shape shape : test::kAllShapes) {
      CAPTURE(json);
      CAPTURE(test::NameOf(shape));
      const auto loaded = LoadBytes("shape", MakeShape(json, shape, n), {});
      REQUIRE(loaded.ok());
      const Trace& trace = **loaded;
      if (shape == Shape::kSeries || shape == Shape::kCounters) {
        CHECK(trace.counts.counter_samples == n);
      } else {
        CHECK(trace.counts.events() == n + (json ? 1 : 0));
      }
      if (shape == Shape::kThreads) CHECK(trace.set.tracks.size() == n);
      if (shape == Shape::kProcesses) CHECK(trace.planes.size() == n);
      if (shape == Shape::kTextIds && json) CHECK(trace.planes.size() == n + 1);
    }
  }
}

TEST_CASE("A pair is found at once, whichever half of it varies") {
  for (const bool first : {true, false}) {
    const double growth = test::GrowthOfFour(50'000, [first](size_t n) {
      return test::CpuSeconds([&] {
        chrome::PairIndex index;
        for (uint32_t i = 0; i < n; ++i) {
          uint32_t number = ~0u;
          REQUIRE(index.Insert(first ? i : 7, first ? 7 : i, &number));
          REQUIRE(number == i);
        }
      });
    });
    CHECK(growth < 10);  // 4 is linear, 16 is quadratic
  }
}

}  // namespace
}  // namespace stepscope
