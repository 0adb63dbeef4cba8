#include "app/bench/frame_times.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("bench: the script goes from the whole to one event and back, inside the whole") {
  const TimeRange whole{1'000, 1'000 + kPsPerS}, detail{kPsPerMs, kPsPerMs + 3 * kPsPerUs};
  const std::vector<TimeRange> script = ZoomScript(whole, detail, 301);
  REQUIRE(script.size() == 301);
  CHECK(script.front() == whole);
  CHECK(script.back().length() == doctest::Approx(static_cast<double>(whole.length())));
  const TimeRange deepest = script[150];
  CHECK(static_cast<double>(deepest.length()) == doctest::Approx(3.0 * kPsPerUs));
  CHECK(static_cast<double>(deepest.begin) == doctest::Approx(static_cast<double>(detail.begin)));
  for (size_t i = 0; i < script.size(); ++i) {
    CHECK(script[i].begin >= whole.begin - 1);
    CHECK(script[i].end <= whole.end + 2);
    if (i > 0 && i <= 150) CHECK(script[i].length() < script[i - 1].length());
  }
}

TEST_CASE("bench: the script of an empty trace is empty, and one frame is the whole trace") {
  CHECK(ZoomScript({0, 0}, {}, 10).empty());
  CHECK(ZoomScript({0, 10}, {}, 0).empty());
  CHECK(ZoomScript({0, 10}, {2, 3}, 1).size() == 1);
}

TEST_CASE("bench: percentiles are by nearest rank") {
  std::vector<double> ms;
  for (int i = 1; i <= 200; ++i) ms.push_back(i);
  const FrameTimes times = FrameTimesOf(ms);
  CHECK(times.median_ms == 100.5);
  CHECK(times.p99_ms == 198);
  CHECK(times.max_ms == 200);
  CHECK(FrameTimesOf({}).max_ms == 0);
  CHECK(FrameTimesOf({7}).p99_ms == 7);
  const nlohmann::ordered_json json = FrameTimesJson(ms);
  CHECK(json["count"] == 200);
  CHECK(json["median_ms"] == 100.5);
}

}  // namespace
}  // namespace stepscope
