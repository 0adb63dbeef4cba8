#include "model/analysis/tpu/core_clock.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

namespace stepscope {

TEST_CASE("Without readings, a core's clock is the session's") {
  CHECK(CoreClock().ToSession(5) == 5);
  CHECK(CoreClock(std::vector<CoreClock::Reading>()).ToSession(-7) == -7);
}

TEST_CASE("One reading tells how far the session is ahead") {
  const std::vector<CoreClock::Reading> one = {{100, 130}};
  CHECK(CoreClock(one).ToSession(1000) == 1030);
}

TEST_CASE("A clock that drifts is found although half of the session's times are late") {
  std::vector<CoreClock::Reading> readings;
  for (int64_t i = 0; i < 1600; ++i) {
    const Ps core = i * kPsPerMs;
    const Ps drift = core / 100'000;                      // 10 ppm
    const Ps late = i % 2 == 0 ? 0 : (i % 7) * kPsPerMs;  // up to 6 ms
    readings.push_back({core, core + 3 * kPsPerMs + drift + late});
  }
  const CoreClock clock(readings);
  for (const Ps core : {Ps{0}, 800 * kPsPerMs, 1600 * kPsPerMs}) {
    const Ps error = clock.ToSession(core) - (core + 3 * kPsPerMs + core / 100'000);
    CHECK(std::abs(error) < kPsPerUs);
  }
}

TEST_CASE("Times at the end of the range saturate") {
  const std::vector<CoreClock::Reading> far = {{kMinPs, kMaxPs}, {kMaxPs, kMinPs}};
  CHECK(CoreClock(far).ToSession(kMaxPs) <= kMaxPs);
  CHECK(CoreClock(far).ToSession(kMinPs) >= kMinPs);
}

}  // namespace stepscope
