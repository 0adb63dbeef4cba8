// Sums of idle time by window, class and cause, from parts given here.
#include "model/analysis/steps/idle_sums.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace stepscope {
namespace {

// A piece of host work in the event `meta`.
HostPiece Work(uint32_t meta, Ps begin, Ps length) {
  HostPiece piece;
  piece.begin = begin;
  piece.end = begin + length;
  piece.state = HostState::kWork;
  piece.row = piece.meta = meta;
  return piece;
}

}  // namespace

TEST_CASE("A window with hundreds of causes names its five largest; the rest is one more") {
  constexpr uint32_t kEvents = 300, kWindows = 3;
  std::vector<StepClassTimes> losses(kWindows);
  std::vector<IdleCause> causes(1);  // another device's stay
  CauseSums sums({}, kEvents, &losses, nullptr, PlaneId(7), &causes);
  Ps all = 0;
  for (uint32_t w = 0; w < kWindows; ++w) {
    all = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (uint32_t m = 0; m < kEvents; ++m) {
        sums.Add(w, Work(m, all, m + 1), false);
        all += m + 1;
      }
    }
  }
  sums.Finish();
  REQUIRE(causes.size() == 1 + kWindows * (kCausesOfClass + 1));
  for (uint32_t w = 0; w < kWindows; ++w) {
    const IdleCause* const of_window = &causes[1 + w * (kCausesOfClass + 1)];
    Ps rest = all;
    for (uint32_t i = 0; i < kCausesOfClass; ++i) {
      const IdleCause& cause = of_window[i];
      const uint32_t event = kEvents - 1 - i;
      CHECK(cause.step == w);
      CHECK(cause.device == PlaneId(7));
      CHECK(cause.event == MetaId(event));
      CHECK(cause.count == 2);
      CHECK(cause.time == 2 * (event + 1));
      CHECK(cause.rows[0] == EventRow(event));
      CHECK_FALSE(cause.rows[1].valid());  // the same event again
      rest -= cause.time;
    }
    CHECK_FALSE(of_window[kCausesOfClass].event.valid());
    CHECK(of_window[kCausesOfClass].time == rest);
    CHECK(of_window[kCausesOfClass].count == 2 * (kEvents - kCausesOfClass));
    CHECK(At(losses[w], StepTimeClass::kHost) == all);
  }
}

TEST_CASE("Causes of under a fifth of their class are chosen by their time in all windows") {
  constexpr uint32_t kEvents = 8;
  std::vector<IdleCause> causes;
  CauseSums sums({}, kEvents, nullptr, nullptr, PlaneId(0), &causes);
  // The first window has equal parts; the second tells that the last events matter more.
  for (uint32_t m = 0; m < kEvents; ++m) sums.Add(0, Work(m, 10 * m, 10), false);
  for (uint32_t m = 0; m < kEvents; ++m) sums.Add(1, Work(m, 1000 + 20 * m, m + 1), false);
  sums.Finish();
  REQUIRE(causes.size() == 2 * (kCausesOfClass + 1));
  for (uint32_t i = 0; i < kCausesOfClass; ++i) CHECK(causes[i].event == MetaId(kEvents - 1 - i));
  CHECK(causes[kCausesOfClass].time == 30);
}

}  // namespace stepscope
