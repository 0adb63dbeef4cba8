// Steps of PyTorch whose borders lie anywhere in lanes of several parts.
#include "model/analysis/grouping/lane_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/jobs/job.h"
#include "tests/support/kineto_text.h"
#include "tests/support/stopped_job.h"

namespace stepscope {
namespace {

constexpr int kOps = 150'000;  // one each 2 us
// When steps begin or end, in us.
constexpr int kShortStep = 1'000, kLongStep = 140'001, kLongStepEnd = 298'001;

// Two steps, with a hole between them that is longer than a part.
std::shared_ptr<const Trace> Recorded() {
  test::KinetoText t;
  t.Host("user_annotation", "ProfilerStep#7", kShortStep, 2'000);
  t.Host("user_annotation", "ProfilerStep#8", kLongStep, kLongStepEnd - kLongStep);
  for (int op = 0; op < kOps; ++op) t.Host("cpu_op", "aten::mm", 2.0 * op, 1);
  t.Launch(1, 2'500, 1).Kernel("gemm", 1, 299'000, 30);
  auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  return *trace;
}

std::string StepAt(Ps time) {
  const int64_t us = time / kPsPerUs;
  if (us >= kShortStep && us < kShortStep + 2'000) return "ProfilerStep#7";
  return us >= kLongStep && us < kLongStepEnd ? "ProfilerStep#8" : "";
}

}  // namespace

TEST_CASE("lane parts: each event of a lane is in one part") {
  const std::shared_ptr<const Trace> trace = Recorded();
  std::vector<LanePart> parts;
  AppendParts(trace->set.lanes, &parts);
  size_t longest = 0, events = 0;
  for (const Lane& lane : trace->set.lanes) longest = std::max<size_t>(longest, lane.size());
  const Lane* lane = nullptr;
  uint32_t end = 0;
  for (const LanePart& part : parts) {
    if (part.lane != lane) end = 0;
    CHECK(part.begin == end);
    CHECK(part.end > part.begin);
    lane = part.lane, end = part.end;
    events += part.end - part.begin;
  }
  CHECK(events == trace->set.rows);
  CHECK(longest > 2 * (parts.front().end - parts.front().begin));
  CHECK(parts.size() > trace->set.lanes.size());
}

namespace {

// Counts the parts that it reads.
struct CountingReader {
  size_t parts = 0;
};

uint64_t FirstRowOf(const LanePart& part) { return part.lane->first_row + part.begin; }

}  // namespace

TEST_CASE("lane parts: what readers find comes in order of the parts, and by plane") {
  const std::shared_ptr<const Trace> trace = Recorded();
  PlaneParts parts;
  std::vector<size_t> sizes;
  for (const Plane& plane : trace->planes) {
    std::vector<LanePart> of_plane;
    for (const TrackId track : plane.tracks)
      AppendParts(trace->set.LanesOf(trace->set.tracks[track.value]), &of_plane, 1'000);
    sizes.push_back(of_plane.size());
    parts.AddPlane(of_plane);
  }
  parts.AddPlane({});
  sizes.push_back(0);
  REQUIRE(parts.all().size() > 2 * WorkerCount());
  std::atomic<size_t> readers = 0, reused = 0;
  std::vector<uint64_t> found = ReadParts(
      parts.all(),
      [&] {
        ++readers;
        return CountingReader();
      },
      [&](const LanePart& part, CountingReader& reader) {
        if (++reader.parts > 1) ++reused;
        return FirstRowOf(part);
      });
  CHECK(readers <= 4);  // the threads of the tests' scheduler
  CHECK(readers + reused == parts.all().size());
  std::vector<uint64_t> expected;
  for (const LanePart& part : parts.all()) expected.push_back(FirstRowOf(part));
  CHECK(found == expected);
  const std::vector<size_t> joined =
      parts.Joined(std::span(found), [](std::span<uint64_t> of_plane) { return of_plane.size(); });
  CHECK(joined == sizes);
}

TEST_CASE("lane parts: reading can be stopped") {
  const std::shared_ptr<const Trace> trace = Recorded();
  std::vector<LanePart> parts;
  AppendParts(trace->set.lanes, &parts);
  int read = 0;
  const auto all = [&] {
    ReadParts(
        std::span<const LanePart>(parts), [] { return CountingReader(); },
        [&](const LanePart&, CountingReader&) { return ++read; });
  };
  CHECK_THROWS_AS(test::RunStopped(all), Stopped);
  CHECK(read == 0);
}

TEST_CASE("lane parts: events belong to the step that they begin in, and work to its launch's") {
  const std::shared_ptr<const Trace> trace = Recorded();
  AnalysisContext context(trace, Definitions::kStepscope);
  const Grouping& grouping = context.Get<Grouping>();
  size_t wrong = 0, eager = 0;
  for (uint32_t row = 0; row < trace->set.rows; ++row) {
    const EventRow event(row);
    const EventGroup* group = grouping.GroupOf(event);
    const std::string found = group != nullptr ? group->name : "";
    const bool kernel = trace->set.Name(event) == "gemm";
    wrong += found != (kernel ? "ProfilerStep#7" : StepAt(trace->set.Start(event))) ? 1u : 0u;
    eager += grouping.IsEager(row) ? 1u : 0u;
  }
  CHECK(wrong == 0);
  CHECK(eager == kOps + 1);  // the ops and the kernel
}

}  // namespace stepscope
