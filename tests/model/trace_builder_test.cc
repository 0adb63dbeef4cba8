#include "model/trace_builder.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <tuple>

#include "model/lane_builder.h"
#include "model/lookup.h"
#include "tests/model/lane_support.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

using test::CountOf;
using test::Random;
using test::Uniform;

struct Slice {
  Ps start, dur;
};

// A track whose slices have their index as metadata, and their index + 1 as reference.
TrackData MakeTrack(const std::vector<Slice>& slices, const std::vector<Ps>& instants = {}) {
  TrackData data;
  for (uint32_t i = 0; i < slices.size(); ++i)
    data.slices.Add(slices[i].start, slices[i].dur, i, i + 1);
  for (uint32_t i = 0; i < instants.size(); ++i) data.instants.Add(instants[i], 0, i, 1000 + i);
  return data;
}

std::shared_ptr<const Trace> Finish(TraceBuilder& builder) {
  auto result = builder.Finish();
  REQUIRE(result.ok());
  return *result;
}

std::shared_ptr<const Trace> OneTrack(const std::vector<Slice>& slices,
                                      const std::vector<Ps>& instants = {}) {
  TraceBuilder builder;
  builder.AddTrack(MakeTrack(slices, instants));
  return Finish(builder);
}

// The lanes as text, each as "kind depth: start+dur ...".
std::string Dump(const TrackSet& set) {
  std::string text;
  for (const Lane& lane : set.lanes) {
    text += "nsi"[static_cast<int>(lane.kind)];
    text += std::to_string(lane.depth);
    text += ":";
    for (uint32_t i = 0; i < lane.size(); ++i) {
      text += " ";
      text += std::to_string(lane.start[i]);
      text += "+";
      text += std::to_string(lane.dur[i]);
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("no tracks, and tracks without events") {
  TraceBuilder empty;
  const auto nothing = Finish(empty);
  CHECK(nothing->set.rows == 0);
  CHECK(nothing->counts.events() == 0);
  CHECK(nothing->span == TimeRange{});
  const auto trace = OneTrack({});
  CHECK(trace->set.tracks.size() == 1);
  CHECK(trace->set.tracks[0].lane_count == 0);
  CHECK(trace->set.LanesOf(trace->set.tracks[0]).empty());
  CHECK_FALSE(trace->set.LaneOf(EventRow(0)).valid());
}

TEST_CASE("sorted slices of one depth are adopted where they lie") {
  TraceBuilder builder;
  TrackData data = MakeTrack({{0, 10}, {10, 5}, {20, 0}, {20, 0}, {30, 1}});
  data.slices.start.ShrinkToFit();
  const Ps* address = data.slices.start.data();
  builder.AddTrack(std::move(data));
  const auto trace = Finish(builder);
  REQUIRE(trace->set.lanes.size() == 1);
  CHECK(trace->set.lanes[0].start.data() == address);
  CHECK(Dump(trace->set) == "n0: 0+10 10+5 20+0 20+0 30+1\n");
  CHECK(trace->set.tracks[0].busy == 16);
  CHECK(trace->set.lanes[0].SourceOffset(3) == 4);
}

TEST_CASE(
    "nesting: touching slices are siblings, of equal ones the first in the file is the parent") {
  const auto trace = OneTrack({{50, 10}, {0, 100}, {0, 50}, {50, 10}, {20, 30}, {100, 5}});
  CHECK(Dump(trace->set) == "n0: 0+100 100+5\nn1: 0+50 50+10\nn2: 20+30 50+10\n");
  // Both are [50, 60): slice 0 is the parent of slice 3.
  const Lane& deep = trace->set.lanes[2];
  CHECK(deep.meta[1] == 3);
  CHECK(trace->set.Meta(Parent(trace->set, EventRow(deep.first_row + 1))) == MetaId(0));
  CHECK(trace->set.tracks[0].rows == 3);
  CHECK(trace->set.tracks[0].busy == 105);
  CHECK(trace->set.tracks[0].span == TimeRange{0, 105});
  CHECK(trace->diagnostics.rows().empty());
}

TEST_CASE("slices without duration nest inside, and stand alone") {
  const auto trace = OneTrack({{5, 0}, {5, 10}, {5, 0}, {15, 0}, {15, 0}, {7, 0}});
  CHECK(Dump(trace->set) == "n0: 5+10 15+0 15+0\nn1: 5+0 5+0 7+0\n");
}

TEST_CASE("partial overlaps go to the lowest free spill lane and are counted") {
  const auto trace = OneTrack({{0, 10}, {5, 10}, {6, 10}, {16, 3}, {15, 2}, {11, 1}});
  // [5,15) and [6,16) overlap [0,10); [15,17) stands alone, and [16,19) overlaps it.
  CHECK(Dump(trace->set) == "n0: 0+10 11+1 15+2\ns1: 5+10 16+3\ns2: 6+10\n");
  CHECK(CountOf(*trace, "track.partial_overlap") == 3);
  CHECK(trace->diagnostics.rows()[0].first[0] == "track ''");
  CHECK(trace->set.tracks[0].busy == 36);
  CHECK(trace->set.tracks[0].rows == 3);
}

TEST_CASE("asynchronous ops lie apart: none encloses another, and overlaps are no fault") {
  TraceBuilder builder;
  TrackData data = MakeTrack({{0, 10}, {2, 3}, {6, 6}, {12, 1}});
  data.track.kind = TrackKind::kAsyncXlaOps;
  builder.AddTrack(std::move(data));
  const auto trace = Finish(builder);
  CHECK(Dump(trace->set) == "s0: 0+10 12+1\ns1: 2+3 6+6\n");
  CHECK(trace->diagnostics.rows().empty());
  CHECK(trace->set.tracks[0].rows == 2);
}

TEST_CASE("ten thousand overlapping slices take O(n log n), not O(n^2)") {
  std::vector<Slice> slices;
  for (int i = 0; i < 10'000; ++i) slices.push_back({i, 20'000});
  const auto trace = OneTrack(slices);
  CHECK(trace->set.lanes.size() == 10'000);
  CHECK(CountOf(*trace, "track.partial_overlap") == 9'999);
  CHECK(trace->counts.slices == 10'000);
}

TEST_CASE("nesting deeper than the limit is spilled") {
  std::vector<Slice> slices;
  for (int i = 0; i < 5000; ++i) slices.push_back({i, 20'000 - 2 * i});
  const auto trace = OneTrack(slices);
  CHECK(CountOf(*trace, "track.too_deep") == 5000 - kMaxDepth);
  CHECK(trace->set.rows == 5000);
  CHECK(trace->set.lanes[kMaxDepth - 1].kind == LaneKind::kNested);
  CHECK(trace->set.lanes[kMaxDepth].kind == LaneKind::kSpill);
}

TEST_CASE("negative durations and ends past the range are clipped and counted") {
  const auto trace = OneTrack({{10, -5}, {kMaxPs - 3, 10}, {kMinPs, -1}, {kMaxPs, kMaxPs}, {0, 1}});
  CHECK(CountOf(*trace, "time.clipped") == 4);
  CHECK(trace->counts.slices == 5);
  CHECK(trace->span == TimeRange{kMinPs, kMaxPs});
  for (const Lane& lane : trace->set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      CHECK(lane.dur[i] >= 0);
      CHECK(lane.dur[i] <= SaturatingSub(kMaxPs, lane.start[i]));
    }
  }
}

TEST_CASE("instants get a sorted lane after the slices, without durations") {
  const auto trace = OneTrack({{0, 10}, {2, 3}}, {7, 3, 7, 50});
  CHECK(Dump(trace->set) == "n0: 0+10\nn1: 2+3\ni2: 3+0 7+0 7+0 50+0\n");
  const Lane& lane = trace->set.lanes[2];
  CHECK(lane.meta[1] == 0);  // stable
  CHECK(lane.meta[2] == 2);
  CHECK(lane.SourceOffset(0) == 1001);
  CHECK(trace->counts.slices == 2);
  CHECK(trace->counts.instants == 4);
  CHECK(trace->set.tracks[0].events == 6);
  CHECK(trace->set.tracks[0].span == TimeRange{0, 50});
}

TEST_CASE("wide references: a base for each block, and what is too far is counted") {
  TrackData data;
  constexpr uint32_t kEvents = 40'000;
  const uint64_t far = uint64_t{1} << 40;
  for (uint32_t i = 0; i < kEvents; ++i) {
    data.slices.start.push_back(kEvents - i);  // reversed, so that everything moves
    data.slices.dur.push_back(1);
    data.slices.meta.push_back(i);
    data.slices.wide_ref.push_back(i == 5 ? ~uint64_t{0} : far + uint64_t{i} * 100'000);
  }
  data.slices.wide_ref[7] = 3;  // alone, far below all others of its block
  TraceBuilder builder;
  builder.AddTrack(std::move(data));
  const auto trace = Finish(builder);
  REQUIRE(trace->set.lanes.size() == 1);
  const Lane& lane = trace->set.lanes[0];
  uint64_t right = 0, none = 0;
  for (uint32_t i = 0; i < lane.size(); ++i) {
    const uint64_t offset = lane.SourceOffset(i);
    none += offset == ~uint64_t{0};
    right += offset == (lane.meta[i] == 7 ? 3 : far + uint64_t{lane.meta[i]} * 100'000);
  }
  CHECK(right + none == kEvents);
  // The last block, events 0 to 7231, has base 3. All its other references
  // are lost; event 5 never had one.
  CHECK(CountOf(*trace, "track.reference_too_far") == none - 1);
  CHECK(none == kEvents - 2 * (1u << Lane::kRefShift) - 1);
}

TEST_CASE("flows and derived sources name rows once slices have become rows") {
  TraceBuilder builder;
  const TrackId a = builder.AddTrack(MakeTrack({{10, 1}, {0, 100}, {5, 50}}));
  const TrackId b = builder.AddTrack(MakeTrack({{0, 1}, {2, 1}}));
  builder.AddFlow(a, 0, b, 1, 77, StringId(0));
  builder.AddFlow(a, 2, a, 1, 78, StringId(0));
  builder.AddFlow(a, 3, b, 0, 79, StringId(0));           // there is no such slice
  builder.AddFlow(a, 0, TrackId(9), 0, 80, StringId(0));  // there is no such track
  const auto trace = Finish(builder);
  REQUIRE(trace->flows.size() == 2);
  CHECK(CountOf(*trace, "flow.no_event") == 2);
  CHECK(trace->flows[0].id == 77);
  CHECK(trace->set.Meta(trace->flows[0].from) == MetaId(0));
  CHECK(trace->set.Start(trace->flows[0].from) == 10);
  CHECK(trace->set.TrackOf(trace->flows[0].to) == b);
  CHECK(trace->set.Start(trace->flows[0].to) == 2);
  CHECK(trace->set.Start(trace->flows[1].from) == 5);
  CHECK(trace->set.Start(trace->flows[1].to) == 0);
  CHECK(trace->counts.flows == 2);

  std::vector<TrackData> tracks;
  tracks.push_back(MakeTrack({{10, 1}, {0, 100}}, {4}));
  tracks.push_back(MakeTrack({{1, 1}}));
  const TrackSet set = TraceBuilder::BuildSet("Derived", trace->set.names, std::move(tracks),
                                              {{EventRow(5), EventRow(6)}, {EventRow(3)}});
  REQUIRE(set.source.size() == 4);
  for (uint32_t row = 0; row < 4; ++row) {
    const uint32_t expected = set.Start(EventRow(row)) == 10  ? 5
                              : set.Start(EventRow(row)) == 0 ? 6
                                                              : 3;
    if (set.Start(EventRow(row)) == 4) {
      CHECK_FALSE(set.source[row].valid());
    } else {
      CHECK(set.source[row] == EventRow(expected));
    }
  }
  CHECK(set.title == "Derived");
}

TEST_CASE("planes list their tracks; counts and span cover all of them") {
  TraceBuilder builder;
  const HostId host = builder.AddHost({builder.strings().Intern("vm"), "", 0, -1});
  Plane plane;
  plane.host = host;
  const PlaneId p0 = builder.AddPlane(plane), p1 = builder.AddPlane(plane);
  std::vector<TrackId> ids;
  for (const PlaneId p : {p1, p0, p1}) {
    TrackData data = MakeTrack({{Ps{1000} * static_cast<Ps>(ids.size()), 10}});
    data.track.plane = p;
    data.track.counters.push_back({StringId(0), {1, 2, 3}, {1, 2, 3}, 1, 3});
    ids.push_back(builder.AddTrack(std::move(data)));
  }
  const auto trace = Finish(builder);
  CHECK(trace->planes[p0.value].tracks == std::vector<TrackId>{ids[1]});
  CHECK(trace->planes[p1.value].tracks == std::vector<TrackId>{ids[0], ids[2]});
  CHECK(trace->HostName(host) == "vm");
  CHECK(trace->HostName(HostId(4)).empty());
  CHECK(trace->counts.counter_samples == 9);
  CHECK(trace->span == TimeRange{0, 2010});
  CHECK(trace->set.TrackOf(EventRow(2)) == ids[2]);
}

TEST_CASE("a stopped build says so") {
  TraceBuilder builder;
  builder.AddTrack(MakeTrack({{0, 1}}));
  std::stop_source stop;
  stop.request_stop();
  const auto result = builder.Finish(stop.get_token());
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().code() == ErrorCode::kCancelled);
}

// ---- Random tracks, compared with a direct reading of the rules

struct Expected {
  int parent = -1;  // slice, or -1
  uint32_t depth = 0;
  bool spilled = false;
};

std::vector<Expected> NaiveNesting(const std::vector<Slice>& slices) {
  std::vector<uint32_t> order(slices.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(slices[a].start, -slices[a].dur, a) <
           std::tuple(slices[b].start, -slices[b].dur, b);
  });
  std::vector<Expected> out(slices.size());
  std::vector<uint32_t> placed;
  for (const uint32_t i : order) {
    const Ps start = slices[i].start, end = start + slices[i].dur;
    int innermost = -1;  // the latest placed slice that is still open
    for (const uint32_t p : placed) {
      if (slices[p].start + slices[p].dur > start) innermost = static_cast<int>(p);
    }
    const Slice* top = innermost < 0 ? nullptr : &slices[static_cast<size_t>(innermost)];
    if (top != nullptr && end > top->start + top->dur) {
      out[i].spilled = true;
      continue;
    }
    out[i].parent = innermost;
    out[i].depth = innermost < 0 ? 0 : out[static_cast<size_t>(innermost)].depth + 1;
    placed.push_back(i);
  }
  return out;
}

void CheckTrack(const std::vector<Slice>& slices, const TrackSet& set) {
  const std::vector<Expected> expected = NaiveNesting(slices);
  std::set<uint32_t> seen;
  std::map<uint32_t, std::set<uint32_t>> children;
  std::vector<uint32_t> row_of(slices.size());
  for (const Lane& lane : set.lanes) {
    for (uint32_t k = 0; k < lane.size(); ++k) {
      const uint32_t i = lane.meta[k];
      REQUIRE(seen.insert(i).second);
      row_of[i] = lane.first_row + k;
      REQUIRE(lane.start[k] == slices[i].start);
      REQUIRE(lane.dur[k] == slices[i].dur);
      REQUIRE(lane.SourceOffset(k) == i + 1);
      REQUIRE((lane.kind == LaneKind::kSpill) == expected[i].spilled);
      if (!expected[i].spilled) REQUIRE(lane.depth == expected[i].depth);
      if (k > 0) REQUIRE(lane.start[k] >= lane.end(k - 1));
    }
  }
  REQUIRE(seen.size() == slices.size());
  std::vector<Ps> self(slices.size());
  for (uint32_t i = 0; i < slices.size(); ++i) self[i] = slices[i].dur;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    const EventRow parent = Parent(set, EventRow(row_of[i]));
    REQUIRE((parent.valid() ? static_cast<int>(set.Meta(parent).value) : -1) == expected[i].parent);
    if (!parent.valid()) continue;
    children[parent.value].insert(row_of[i]);
    self[set.Meta(parent).value] -= slices[i].dur;
  }
  for (uint32_t i = 0; i < slices.size(); ++i) {
    std::set<uint32_t> found;
    for (const EventRow child : Children(set, EventRow(row_of[i]))) found.insert(child.value);
    REQUIRE(found == children[row_of[i]]);
    REQUIRE(SelfTime(set, EventRow(row_of[i])) == self[i]);
  }
}

TEST_CASE("random tracks nest by the rules, and no event is lost") {
  Random random(99);
  for (int round = 0; round < 400; ++round) {
    std::vector<Slice> slices;
    const int64_t n = Uniform(random, 1, 120), range = Uniform(random, 1, 300),
                  longest = Uniform(random, 0, 80);
    for (int64_t i = 0; i < n; ++i)
      slices.push_back({Uniform(random, 0, range), Uniform(random, 0, longest)});
    CAPTURE(round);
    CheckTrack(slices, OneTrack(slices)->set);
  }
}

TEST_CASE("properly nested random tracks have no overlap, in whatever order the file has them") {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<Slice> slices;
    std::vector<Slice> todo{{0, 100'000}};
    while (!todo.empty() &&
           slices.size() < 300) {  // split ranges into children, with and without gaps
      const Slice s = todo.back();
      todo.pop_back();
      slices.push_back(s);
      Ps t = s.start;
      while (t < s.start + s.dur && s.dur > 4) {
        const Ps dur = std::min(Uniform(random, 1, s.dur / 2), s.start + s.dur - t);
        if (random() % 3 != 0) todo.push_back({t, dur});
        t += dur;
      }
    }
    std::shuffle(slices.begin(), slices.end(), random);
    const auto trace = OneTrack(slices);
    REQUIRE(trace->diagnostics.rows().empty());
    CheckTrack(slices, trace->set);
  }
}

TEST_CASE("the same events give the same store, however many tracks are built at once") {
  Random random(11);
  TraceBuilder builder;
  for (int t = 0; t < 300; ++t) {
    std::vector<Slice> slices;
    for (int64_t i = Uniform(random, 0, 50); i > 0; --i)
      slices.push_back({Uniform(random, 0, 99), Uniform(random, 0, 9)});
    builder.AddTrack(MakeTrack(slices));
  }
  const auto trace = Finish(builder);
  uint32_t next = 0;
  for (uint32_t l = 0; l < trace->set.lanes.size(); ++l) {
    const Lane& lane = trace->set.lanes[l];
    REQUIRE(lane.first_row == next);
    next += lane.size();
    REQUIRE(lane.size() > 0);
    REQUIRE(trace->set.LaneOf(EventRow(lane.first_row)) == LaneId(l));
    REQUIRE(trace->set.LaneOf(EventRow(next - 1)) == LaneId(l));
    const Track& track = trace->set.tracks[lane.track.value];
    REQUIRE(l >= track.first_lane.value);
    REQUIRE(l < track.first_lane.value + track.lane_count);
  }
  CHECK(next == trace->set.rows);
  CHECK(next == trace->counts.events());
}

TEST_CASE("Planes without a host get one without a name, and those with one keep it") {
  TraceBuilder builder;
  Host named;
  named.name = builder.strings().Intern("node");
  const HostId host = builder.AddHost(named);
  for (const HostId of : {host, HostId(), HostId(7)}) {
    Plane plane;
    plane.host = of;
    builder.AddPlane(plane);
  }
  const auto trace = Finish(builder);
  REQUIRE(trace->hosts.size() == 2);
  CHECK(trace->HostName(HostId(0)) == "node");
  CHECK(trace->HostName(HostId(1)).empty());
  CHECK(trace->planes[0].host == host);
  CHECK(trace->planes[1].host == HostId(1));
  CHECK(trace->planes[2].host == HostId(1));
}

TEST_CASE("A trace whose planes have hosts gets no other") {
  TraceBuilder builder;
  Plane plane;
  plane.host = builder.AddHost({});
  builder.AddPlane(plane);
  CHECK(Finish(builder)->hosts.size() == 1);
  TraceBuilder empty;
  CHECK(Finish(empty)->hosts.empty());
}

}  // namespace
}  // namespace stepscope
