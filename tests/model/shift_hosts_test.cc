// The same trace on other clocks: only times differ.
#include "model/shift_hosts.h"

#include <doctest/doctest.h>

#include "model/lane_builder.h"
#include "model/trace_builder.h"
#include "tests/support/stopped_job.h"

namespace stepscope {
namespace {

// Two hosts with a thread each: slices of 10 ps at 100, 200, ... inside one of 1,000, an instant at
// 50 and a counter. An arrow leads from the first host to the second.
std::shared_ptr<const Trace> TwoHosts(Ps at = 0, int slices = 5) {
  TraceBuilder builder;
  TrackId tracks[2];
  for (int h = 0; h < 2; ++h) {
    Host host;
    host.name = builder.strings().Intern(h == 0 ? "a" : "b");
    host.start_unix_ns = 7'000;
    Plane plane;
    plane.host = builder.AddHost(host);
    plane.name = host.name;
    TrackData data;
    data.track.plane = builder.AddPlane(plane);
    data.track.line_start = at;
    EventMeta x;
    x.name = builder.strings().Intern("x");
    const MetaId meta = builder.AddMeta(x);
    data.slices.Add(at, 1000, meta.value, 1);
    for (int i = 1; i < slices; ++i)
      data.slices.Add(at + i * 100, 10, meta.value, static_cast<uint32_t>(i) + 1);
    data.instants.Add(at + 50, 0, meta.value, 900);
    CounterSeries series;
    series.time = {at, at + 5};
    series.value = {1, 2};
    data.track.counters.push_back(series);
    tracks[h] = builder.AddTrack(std::move(data));
  }
  builder.AddFlow(tracks[0], 1, tracks[1], 2, 1, StringId(0));
  return *builder.Finish();
}

TEST_CASE("shift: the events of a host move together, and all else stays") {
  const auto trace = TwoHosts();
  const std::vector<Ps> offsets{0, 300};
  const auto shifted = ShiftHosts(trace, offsets);
  REQUIRE(shifted != nullptr);
  REQUIRE(shifted->set.rows == trace->set.rows);
  REQUIRE(shifted->set.lanes.size() == trace->set.lanes.size());
  for (size_t l = 0; l < trace->set.lanes.size(); ++l) {
    const Lane &before = trace->set.lanes[l], &after = shifted->set.lanes[l];
    const Ps by =
        offsets[trace->planes[trace->set.tracks[before.track.value].plane.value].host.value];
    REQUIRE(after.size() == before.size());
    for (uint32_t i = 0; i < before.size(); ++i) {
      CHECK(after.start[i] == before.start[i] - by);
      CHECK(after.dur[i] == before.dur[i]);
      CHECK(after.meta[i] == before.meta[i]);
      CHECK(after.SourceOffset(i) == before.SourceOffset(i));
      CHECK(shifted->set.Name(EventRow(after.first_row + i)) == "x");
    }
  }
  const Track &before = trace->set.tracks[1], &after = shifted->set.tracks[1];
  CHECK(after.span == TimeRange{before.span.begin - 300, before.span.end - 300});
  CHECK(after.busy == before.busy);
  CHECK(after.line_start == before.line_start - 300);
  CHECK(after.counters[0].time == std::vector<Ps>{-300, -295});
  CHECK(shifted->span == TimeRange{-300, 1000});
  REQUIRE(shifted->flows.size() == 1);
  CHECK(shifted->flows[0].to == trace->flows[0].to);
  CHECK(shifted->counts.events() == trace->counts.events());
  CHECK(ClockOffsetOf(*shifted, HostId(0)) == 0);
  CHECK(ClockOffsetOf(*shifted, HostId(1)) == 300);
  CHECK(ClockOffsetOf(*trace, HostId(1)) == 0);
}

TEST_CASE("shift: a host whose clock is right shares all of its columns") {
  const auto trace = TwoHosts();
  const std::vector<Ps> offsets{0, 300};
  const auto shifted = ShiftHosts(trace, offsets);
  const Lane &own = trace->set.lanes[0], &same = shifted->set.lanes[0];
  CHECK(same.start.data() == own.start.data());
  CHECK(same.dur.data() == own.dur.data());
  CHECK(shifted->set.lanes.back().start.data() != trace->set.lanes.back().start.data());
  CHECK(shifted->set.lanes.back().dur.data() == trace->set.lanes.back().dur.data());
}

TEST_CASE("shift: the pyramids of the result are of its own times") {
  const auto trace = TwoHosts(0, 9);
  const auto shifted = ShiftHosts(trace, std::vector<Ps>{-500, 500});
  for (const Lane& lane : shifted->set.lanes) {
    if (lane.kind == LaneKind::kInstant) continue;
    Ps busy = 0;
    const TimeRange range{lane.start[0] + 5, lane.start[0] + 450};
    for (uint32_t i = 0; i < lane.size(); ++i) {
      busy +=
          std::max<Ps>(0, std::min(range.end, lane.end(i)) - std::max(range.begin, lane.start[i]));
    }
    CHECK(lane.mip.BusyIn(lane.view(), range) == busy);
  }
}

TEST_CASE("shift: no offset leads beyond the range of times") {
  const auto trace = TwoHosts(kMaxPs - 2'000);
  const auto shifted = ShiftHosts(trace, std::vector<Ps>{kMinPs, 100, 5});
  CHECK(shifted->set.tracks[0].span.end == kMaxPs);
  CHECK(shifted->set.tracks[0].span.length() == 1'000);
  CHECK(ClockOffsetOf(*shifted, HostId(0)) == -1'000);
  CHECK(ClockOffsetOf(*shifted, HostId(1)) == 100);
}

TEST_CASE("shift: a call can be stopped") {
  CHECK_THROWS_AS(test::RunStopped([] { ShiftHosts(TwoHosts(), std::vector<Ps>{1, 2}); }), Stopped);
}

}  // namespace
}  // namespace stepscope
