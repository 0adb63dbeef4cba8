// The same event of another run.
#include "viewer/core/counterpart.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;           // NOLINT
using namespace stepscope::testing;  // NOLINT

namespace {

Run Training(uint32_t id, int64_t first_step) {
  auto steps = std::make_shared<std::vector<StepMarker>>();
  for (Ps i = 0; i < 10; ++i) {
    steps->push_back(
        {std::to_string(first_step + i), {i * kPsPerMs, (i + 1) * kPsPerMs}, first_step + i, true});
  }
  Run run;
  run.id = TraceId(id);
  run.trace = TrainingTrace();
  run.steps = std::move(steps);
  return run;
}

// The k-th of a name by begin, on streams of GPU 0 only.
EventRow Kernel(const Run& run, std::string_view name, size_t k) {
  const TrackSet& set = run.trace->set;
  for (uint32_t row = 0; row < set.rows; ++row) {
    if (set.Name(EventRow(row)) == name && k-- == 0) return EventRow(row);
  }
  return {};
}

}  // namespace

TEST_CASE("the counterpart has the same name, lies in the step of the same number, at its place") {
  const Run a = Training(0, 0), b = Training(1, 2);
  // Step 5 of A is the sixth there and the fourth of B.
  const EventRow kernel = Kernel(a, "sgemm_128x64", 5 * 4 + 2);
  const EventRow found = CounterpartOf(a, kernel, b);
  REQUIRE(found.valid());
  CHECK(b.trace->set.Name(found) == "sgemm_128x64");
  CHECK(b.trace->set.Start(found) == a.trace->set.Start(kernel) - 2 * kPsPerMs);
}

TEST_CASE("steps that meet nowhere are matched by their places, runs without steps as a whole") {
  const Run a = Training(0, 0), b = Training(1, 100);
  const EventRow kernel = Kernel(a, "bn_fw_tr", 3 * 4 + 1);
  CHECK(b.trace->set.Start(CounterpartOf(a, kernel, b)) == a.trace->set.Start(kernel));
  Run plain = Training(2, 0);
  plain.steps = nullptr;
  CHECK(CounterpartOf(plain, kernel, plain) == kernel);
}

TEST_CASE("an event whose name the other run does not have has no counterpart") {
  const Run a = Training(0, 0);
  TraceMaker maker;
  maker.Track(maker.Plane("/device:GPU:0", PlaneKind::kGpu), "Stream #14", TrackKind::kStream,
              {{"other", 0, kPsPerMs}});
  Run b;
  b.id = TraceId(1);
  b.trace = maker.Finish();
  CHECK_FALSE(CounterpartOf(a, Kernel(a, "bn_fw_tr", 0), b).valid());
}
