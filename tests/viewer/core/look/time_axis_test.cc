#include "viewer/core/look/time_axis.h"

#include <doctest/doctest.h>

#include "viewer/timeline/layout/geometry.h"
#include "viewer/timeline/painting/ruler.h"

using namespace stepscope;  // NOLINT

TEST_CASE("pixels and times go there and back, also at a nanosecond after an hour") {
  const Ps hour = 3600 * kPsPerS;
  const TimeAxis axis({hour, hour + kPsPerNs}, 1000);
  CHECK(axis.X(hour) == 0.0);
  CHECK(axis.X(hour + 500) == doctest::Approx(500.0).epsilon(1e-12));
  for (Ps t : {Ps{0}, Ps{1}, Ps{333}, Ps{999}}) CHECK(axis.At(axis.X(hour + t)) == hour + t);
}

TEST_CASE("far times clip instead of overflowing") {
  const TimeAxis axis({0, 1000}, 100);
  CHECK(axis.ClippedX(kMaxPs) == 116.0f);
  CHECK(axis.ClippedX(kMinPs) == -16.0f);
  CHECK(axis.At(1e300) > 0);
  CHECK(TimeAxis({5, 5}, 0).ps_per_px() == 1.0);
}

TEST_CASE("zooming keeps the anchor's place and respects the limits") {
  const TimeRange range{1000, 2000};
  const TimeRange half = ZoomRange(range, 0.5, 1200, 10, kMaxPs);
  CHECK(half == TimeRange{1100, 1600});
  CHECK(ZoomRange(range, 1e-9, 1500, 10, kMaxPs).length() == 10);
  CHECK(ZoomRange(range, 1e9, 1500, 10, 5000).length() == 5000);
}

TEST_CASE("a range stays inside the trace") {
  const TimeRange whole{0, 1000};
  CHECK(KeepInside({5000, 5100}, whole) == TimeRange{900, 1000});
  CHECK(KeepInside({-40, 60}, whole) == TimeRange{0, 100});
  CHECK(KeepInside({100, 200}, whole) == TimeRange{100, 200});
  CHECK(KeepInside({-5000, 9000}, whole) == whole);
}

TEST_CASE("steps are 1, 2 or 5 times a power of ten, never smaller than asked") {
  for (double ps = 1; ps < 1e17; ps *= 1.37) {
    const Ps step = NiceStep(ps);
    CHECK(static_cast<double>(step) >= ps);
    CHECK(static_cast<double>(step) <= ps * 2.5 + 1);
    Ps lead = step;
    while (lead % 10 == 0) lead /= 10;
    CHECK((lead == 1 || lead == 2 || lead == 5));
  }
}

TEST_CASE("ticks cover the view, labels share a unit and tell neighbours apart") {
  for (double length : {1e3, 5e6, 2e9, 7e12}) {
    for (Ps begin : {Ps{0}, Ps{123'456'789'012}, Ps{-5'000'000}}) {
      const TimeAxis axis({begin, begin + static_cast<Ps>(length)}, 1500);
      const Ticks ticks = MakeTicks(axis, 110);
      CHECK(ticks.first <= begin);
      CHECK(begin - ticks.first < ticks.minor);
      CHECK(static_cast<double>(ticks.step) / axis.ps_per_px() >= 110.0);
      const std::string a = TickLabel(ticks, ticks.base + ticks.step * 3);
      const std::string b = TickLabel(ticks, ticks.base + ticks.step * 4);
      CHECK(a != b);
      CHECK(a.substr(a.find(' ')) == b.substr(b.find(' ')));
    }
  }
}

TEST_CASE("the corner of the ruler is exact to the step, without zeros that say nothing") {
  const auto corner = [](Ps begin, Ps length) {
    const TimeAxis axis({begin, begin + length}, 1500);
    return CornerLabel(MakeTicks(axis, 110), axis);
  };
  CHECK(corner(0, kPsPerMs) == "0 ms");
  CHECK(corner(434 * kPsPerUs, 20 * kPsPerMs) == "434 \xC2\xB5s");
  CHECK(corner(434 * kPsPerUs, kPsPerMs) == "434 \xC2\xB5s");
  CHECK(corner(9 * kPsPerS, 7 * kPsPerS) == "9 s");
  // Labels of a close view at a far time count from the corner, which needs all its digits.
  CHECK(corner(9'712'345'678'900, kPsPerUs) == "9.7123456 s");
  CHECK(corner(9'712'345'678'900, 100) == "9.7123456789 s");
  CHECK(corner(-5 * kPsPerMs, kPsPerMs) == "-5 ms");
}

TEST_CASE("a glide arrives exactly, and the fixed point of a zoom does not move on the way") {
  RangeAnimation glide;
  glide.Jump({0, 1'000'000});
  const TimeRange target = ZoomRange({0, 1'000'000}, 0.001, 300'000, 1, kMaxPs);
  glide.SetTarget(target);
  int frames = 0;
  while (glide.Advance(1.0 / 60, 0.2)) {
    const TimeRange now = glide.shown();
    const double share =
        static_cast<double>(300'000 - now.begin) / static_cast<double>(now.length());
    CHECK(share == doctest::Approx(0.3).epsilon(0.02));
    CHECK(++frames < 60);
  }
  CHECK(frames > 5);
  CHECK(glide.shown() == target);
  CHECK_FALSE(glide.moving());
}

TEST_CASE("a glide of zero seconds jumps") {
  RangeAnimation glide;
  glide.Jump({0, 10});
  glide.SetTarget({5, 8});
  CHECK_FALSE(glide.Advance(0.016, 0));
  CHECK(glide.shown() == TimeRange{5, 8});
}
