// Counterparts of events in another profile.
#include "viewer/core/profiles/matching_events.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

Profile Training(uint32_t id, int64_t first_step) {
  auto steps = std::make_shared<std::vector<StepMarker>>();
  for (Ps i = 0; i < 10; ++i) {
    steps->push_back(
        {std::to_string(first_step + i), {i * kPsPerMs, (i + 1) * kPsPerMs}, first_step + i, true});
  }
  Profile profile;
  profile.id = ProfileId(id);
  profile.trace = TrainingTrace();
  profile.steps = std::move(steps);
  return profile;
}

// The k-th event of a name by begin, on streams of GPU 0 only.
EventRow Kernel(const Profile& profile, std::string_view name, size_t k) {
  const TrackSet& set = profile.trace->set;
  for (uint32_t row = 0; row < set.rows; ++row) {
    if (set.Name(EventRow(row)) == name && k-- == 0) return EventRow(row);
  }
  return {};
}

}  // namespace

TEST_CASE("the counterpart has the same name, step number and place in the step") {
  const Profile a = Training(0, 0), b = Training(1, 2);
  // Step 5 is the sixth step of A and the fourth of B.
  const EventRow kernel = Kernel(a, "sgemm_128x64", 5 * 4 + 2);
  const EventRow found = CounterpartOf(a, kernel, b);
  REQUIRE(found.valid());
  CHECK(b.trace->set.Name(found) == "sgemm_128x64");
  CHECK(b.trace->set.Start(found) == a.trace->set.Start(kernel) - 2 * kPsPerMs);
}

TEST_CASE(
    "steps without common numbers match by place, and profiles without steps match as a whole") {
  const Profile a = Training(0, 0), b = Training(1, 100);
  const EventRow kernel = Kernel(a, "bn_fw_tr", 3 * 4 + 1);
  CHECK(b.trace->set.Start(CounterpartOf(a, kernel, b)) == a.trace->set.Start(kernel));
  Profile plain = Training(2, 0);
  plain.steps = nullptr;
  CHECK(CounterpartOf(plain, kernel, plain) == kernel);
}

TEST_CASE("an event has no counterpart if the other profile lacks its name") {
  const Profile a = Training(0, 0);
  TraceMaker maker;
  maker.Track(maker.Plane("/device:GPU:0", PlaneKind::kGpu), "Stream #14", TrackKind::kStream,
              {{"other", 0, kPsPerMs}});
  Profile b;
  b.id = ProfileId(1);
  b.trace = maker.Finish();
  CHECK_FALSE(CounterpartOf(a, Kernel(a, "bn_fw_tr", 0), b).valid());
}
