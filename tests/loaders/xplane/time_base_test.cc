// The events of a TPU core stand where its own clock has them, beside the ops that they belong to.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/loaded.h"
#include "tests/support/tpu_profile.h"
#include "tests/support/trace_lookup.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::CountOf;

using Events = std::vector<TimeRange>;

std::shared_ptr<const Trace> LoadCores(const std::string& bytes) {
  return test::Loaded("vm.xplane.pb", bytes);
}

// The events on the lines of that kind of the first core, whose name is that (empty: all of them),
// by their begin.
Events EventsNamed(const Trace& trace, TrackKind kind, std::string_view name) {
  Events events;
  for (const Track& track : trace.set.tracks) {
    if (track.kind != kind || trace.planes[track.plane.value].device_ordinal != 0) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const EventRow row(lane.first_row + i);
        const std::string_view text = trace.names().Name(trace.set.Meta(row));
        if (name.empty() || trace.set.Name(row) == name ||
            text.starts_with("%" + std::string(name) + " "))
          events.push_back({lane.start[i], lane.end(i)});
      }
    }
  }
  std::sort(events.begin(), events.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  return events;
}

std::shared_ptr<const Trace> BentCores() {
  test::TpuProfileOptions options;
  options.async_line = true;
  options.bend_ps = 5 * kPsPerMs / 2;
  return LoadCores(test::MakeTpuProfile(options));
}

}  // namespace

TEST_CASE("Ops of a TPU core lie where its clock has them, on the session's axis") {
  const auto trace = BentCores();
  const Events waits = EventsNamed(*trace, TrackKind::kXlaOps, "copy-done");
  const Events fusions = EventsNamed(*trace, TrackKind::kXlaOps, "fusion");
  REQUIRE(waits.size() == 6);
  REQUIRE(fusions.size() == 6);
  for (size_t run = 0; run < waits.size(); ++run) {
    CHECK(waits[run].length() == 4 * kPsPerMs - 2 * kPsPerNs);
    CHECK(fusions[run].begin == waits[run].end);
    CHECK(fusions[run].length() == 2 * kPsPerMs);
    CHECK(waits[run].begin - waits[0].begin == static_cast<Ps>(run) * 10 * kPsPerMs);
  }
  // Two runs of each core are bent, in which a wait is too long and a fusion comes too late.
  CHECK(CountOf(*trace, "xplane.bent_times") == 4);
  CHECK(trace->diagnostics.problems() == 0);
}

TEST_CASE("Lines of a TPU core may be named after their events") {
  test::TpuProfileOptions options;
  options.async_line = true;
  options.bend_ps = 5 * kPsPerMs / 2;
  options.late_names = true;
  const auto late = LoadCores(test::MakeTpuProfile(options)), early = BentCores();
  CHECK(CountOf(*late, "xplane.bent_times") == 4);
  for (const TrackKind kind :
       {TrackKind::kXlaOps, TrackKind::kAsyncXlaOps, TrackKind::kXlaModules}) {
    const Events events = EventsNamed(*late, kind, "");
    CHECK(!events.empty());
    CHECK(events == EventsNamed(*early, kind, ""));
  }
}

TEST_CASE("An op without a length by the session's clock has that of the core's") {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/device:TPU:0");
  plane.EventMetadata("%a = f32[] add()").DisplayName("a");
  auto& line = plane.Line(2, "XLA Ops");
  for (int64_t k = 0; k < 8; ++k) {
    line.Event("%a = f32[] add()", k * kPsPerMs, k == 5 ? 0 : kPsPerUs)
        .Stat("device_offset_ps", k * kPsPerMs)
        .Stat("device_duration_ps", kPsPerUs);
  }
  const auto trace = LoadCores(space.Bytes());
  const Events ops = EventsNamed(*trace, TrackKind::kXlaOps, "a");
  REQUIRE(ops.size() == 8);
  for (const TimeRange& op : ops) CHECK(op.length() == kPsPerUs);
  CHECK(trace->counts.slices == 8);
  CHECK(trace->counts.instants == 0);
}

TEST_CASE("Asynchronous work lies between the op that starts it and the one that awaits it") {
  const auto trace = BentCores();
  const auto check = [&](std::string_view start, std::string_view done) {
    const Events starts = EventsNamed(*trace, TrackKind::kXlaOps, start);
    const Events dones = EventsNamed(*trace, TrackKind::kXlaOps, done);
    const Events work = EventsNamed(*trace, TrackKind::kAsyncXlaOps, start);
    REQUIRE(starts.size() == 6);
    REQUIRE(dones.size() == 6);
    REQUIRE(work.size() == 6);
    for (size_t run = 0; run < work.size(); ++run) {
      CHECK(work[run].begin == starts[run].begin);
      CHECK(work[run].end == dones[run].end);
    }
  };
  check("copy-start", "copy-done");
  check("copy-start.2", "copy-done.2");
  check("copy-start.1", "copy-done.1");
}

TEST_CASE("A module holds its ops, and a barrier lies between two ops") {
  const auto trace = BentCores();
  const Events modules = EventsNamed(*trace, TrackKind::kXlaModules, "jit_f(7)");
  const Events first = EventsNamed(*trace, TrackKind::kXlaOps, "copy-start");
  const Events last = EventsNamed(*trace, TrackKind::kXlaOps, "copy-done.1");
  REQUIRE(modules.size() == 6);
  REQUIRE(first.size() == 6);
  REQUIRE(last.size() == 6);
  for (size_t run = 0; run < modules.size(); ++run) {
    CHECK(modules[run].begin <= first[run].begin);
    CHECK(modules[run].end >= last[run].end);
    if (run > 0) CHECK(modules[run].begin >= last[run - 1].end);
  }
  const Events reduce = EventsNamed(*trace, TrackKind::kXlaOps, "all-reduce");
  const Events barrier = EventsNamed(*trace, TrackKind::kOther, "barrier-cores");
  REQUIRE(reduce.size() == 1);
  REQUIRE(barrier.size() == 1);
  CHECK(barrier[0].end <= reduce[0].begin);
}

TEST_CASE("Clocks that have nothing in common are told, and the session's times stay") {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/device:TPU:0");
  plane.EventMetadata("%a = f32[] add()").DisplayName("a");
  auto& line = plane.Line(2, "XLA Ops");
  for (int64_t k = 0; k < 64; ++k) {
    line.Event("%a = f32[] add()", k * kPsPerMs, kPsPerUs)
        .Stat("device_offset_ps", (k * 37 % 64) * kPsPerS)
        .Stat("device_duration_ps", kPsPerUs);
  }
  const auto trace = LoadCores(space.Bytes());
  CHECK(CountOf(*trace, "xplane.core_clock") == 64);
  const Events ops = EventsNamed(*trace, TrackKind::kXlaOps, "a");
  REQUIRE(ops.size() == 64);
  for (size_t k = 0; k < ops.size(); ++k)
    CHECK(ops[k].begin == ops[0].begin + static_cast<Ps>(k) * kPsPerMs);
}

TEST_CASE("Times of a core that lie outside of the range, or are half there, are none") {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/device:TPU:0");
  auto& line = plane.Line(2, "XLA Ops");
  line.Event("a", kPsPerMs, kPsPerUs).Stat("device_offset_ps", int64_t{5});
  line.Event("b", 2 * kPsPerMs, kPsPerUs)
      .Stat("device_offset_ps", int64_t{-5})
      .Stat("device_duration_ps", int64_t{1});
  line.Event("c", 3 * kPsPerMs, kPsPerUs)
      .Stat("device_offset_ps", int64_t{1})
      .Stat("device_duration_ps", kMaxPs);
  const auto trace = LoadCores(space.Bytes());
  CHECK(trace->counts.slices == 3);
  for (const char* name : {"a", "b", "c"}) {
    const Events events = EventsNamed(*trace, TrackKind::kXlaOps, name);
    REQUIRE(events.size() == 1);
    CHECK(events[0].length() == kPsPerUs);
  }
  CHECK(trace->diagnostics.Find("xplane.bent_times") == nullptr);
}

}  // namespace stepscope
