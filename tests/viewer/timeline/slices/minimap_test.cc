// Tests of the minimap: one profile, and two that are compared.
#include "viewer/timeline/slices/minimap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/look/theme.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

constexpr uint32_t kWidth = 100, kHeight = 33;

std::shared_ptr<const Trace> Busy(Ps begin, Ps dur) {
  TraceMaker maker;
  maker.Track(maker.Plane("GPU", PlaneKind::kGpu), "Stream", TrackKind::kStream,
              {{"first", 0, 1}, {"gemm", begin, dur}});
  return maker.Finish();
}

struct TwoProfiles {
  TwoProfiles() {
    profiles[0].id = ProfileId(1);
    profiles[0].trace = Busy(kPsPerMs, 3 * kPsPerMs);
    profiles[1].id = ProfileId(2);
    profiles[1].trace = Busy(5 * kPsPerMs, 3 * kPsPerMs);
    for (const Profile& profile : profiles) view.profiles.emplace_back().profile = profile.id;
    view.active = ProfileId(1);
  }
  std::array<Profile, 2> profiles;
  ViewState view;
};

// The first and the last column in which a row shows half of its height and more.
std::pair<size_t, size_t> BusyColumns(std::span<const uint32_t> row) {
  const auto busy = [](uint32_t t) { return texel::HeightIn(t, texel::kStackCurves - 1) > 127; };
  const auto first = std::find_if(row.begin(), row.end(), busy);
  const auto last = std::find_if(row.rbegin(), row.rend(), busy);
  return {static_cast<size_t>(first - row.begin()),
          row.size() - 1 - static_cast<size_t>(last - row.rbegin())};
}

}  // namespace

TEST_CASE("minimap: two profiles that are compared have a row each, on one axis") {
  TwoProfiles t;
  t.view.baseline = ProfileId(2);
  t.view.profiles[1].map.offset = 2 * kPsPerMs;  // its time 0 lies there
  const auto parts = Minimap::PartsOf(t.profiles, t.profiles[0], t.view);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].profile->id == ProfileId(2));  // A is above
  // Together from 0 to 10 ms of the first profile.
  CHECK(parts[1].span == TimeRange{0, 10 * kPsPerMs});
  CHECK(parts[0].span == TimeRange{-2 * kPsPerMs, 8 * kPsPerMs});
  Minimap minimap;
  minimap.Update(parts, parts[1].span, 1, kWidth, kHeight, MakeTheme(ThemeKind::kDark));
  REQUIRE(minimap.rows() == 2);
  const auto [a0, a1] = BusyColumns(minimap.Row(0));
  CHECK(a0 == doctest::Approx(70).epsilon(0.05));
  CHECK(a1 == doctest::Approx(99).epsilon(0.05));
  const auto [b0, b1] = BusyColumns(minimap.Row(1));
  CHECK(b0 == doctest::Approx(10).epsilon(0.3));
  CHECK(b1 == doctest::Approx(39).epsilon(0.1));
}

TEST_CASE("minimap: without a comparison it is of the active profile alone") {
  TwoProfiles t;
  const auto parts = Minimap::PartsOf(t.profiles, t.profiles[1], t.view);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].profile->id == ProfileId(2));
  CHECK(parts[0].span == t.profiles[1].trace->span);
}
