// Tests of listing and arranging tracks, which are pure functions of contents and rules.
#include "viewer/timeline/layout/arrange.h"

#include <doctest/doctest.h>

#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/timeline/layout/layout.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

std::vector<Profile> Runs(std::shared_ptr<const Trace> trace) {
  return {{ProfileId(0), "run", std::move(trace), {}}};
}

// "GPU 0[Stream 1 Stream 2] Host[main]": planes with their tracks, pinned ones with a star.
std::string Text(const std::vector<Profile>& profiles, const std::vector<LayoutItem>& items) {
  std::string out;
  bool open = false;
  const auto close = [&] {
    if (open) out += ']';
    open = false;
  };
  for (const LayoutItem& item : items) {
    const Trace& trace = *profiles[item.profile].trace;
    if (IsHeading(item.kind)) {
      close();
      if (!out.empty()) out += ' ';
    }
    if (item.kind == LayoutItemKind::kProfileHeading) out += "run";
    if (item.kind == LayoutItemKind::kHostHeading) out += trace.HostName(item.host);
    if (item.kind == LayoutItemKind::kPlaneHeading) {
      out += item.plane.valid() ? trace.planes[item.plane.value].display_name : "Derived";
      if (item.pinned) out += '*';
      if (item.collapsed) continue;
      out += '[';
      open = true;
    }
    if (IsHeading(item.kind)) continue;
    const TrackSet& set = profiles[item.profile].Set(item.set);
    if (!out.empty() && out.back() != '[') out += ' ';
    out += set.names->strings.View(set.tracks[item.track.value].name);
    if (item.kind == LayoutItemKind::kCounter) out += '~';
    if (item.pinned) out += '*';
  }
  close();
  return out;
}

std::shared_ptr<const Trace> TwoPlanes() {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU 0", PlaneKind::kGpu);
  for (const char* name : {"Stream 1", "Stream 2", "Copies"})
    maker.Track(gpu, name, TrackKind::kStream, {{"k", 0, 10}});
  maker.Plane("empty", PlaneKind::kHostOther);
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  maker.Track(host, "main", TrackKind::kThread, {{"f", 0, 90}, {"g", 10, 50}, {"h", 20, 10}});
  maker.Track(host, "idle", TrackKind::kThread, {});
  maker.Counter(host, "bytes", {1, 5, 2});
  return maker.Finish();
}

std::string PathOfTrack(const Trace& trace, uint32_t track) {
  return TrackPath(trace, trace.set, TrackId(track));
}

}  // namespace

TEST_CASE("the list has everything there is to draw, with its activity") {
  const auto profiles = Runs(TwoPlanes());
  const std::vector<TrackEntry> list = ListTracks(profiles);
  REQUIRE(list.size() ==
          1 + 1 + 1 + 3 + 1 + 2);  // profile, host, GPU and streams, Host, main, bytes
  CHECK(list[0].kind == LayoutItemKind::kProfileHeading);
  CHECK(list[1].kind == LayoutItemKind::kHostHeading);
  CHECK(list[1].name == "host-0");
  CHECK(list[2].kind == LayoutItemKind::kPlaneHeading);
  CHECK(list[2].name == "GPU 0");
  CHECK(list[2].events == 3);
  CHECK(list[2].busy == 30);
  CHECK(list[7].name == "main");
  CHECK(list[7].lanes == 3);
  CHECK(list[7].busy == 90);
  CHECK(list[8].kind == LayoutItemKind::kCounter);
  CHECK(PathOf(profiles[0], list[2]) == PlanePath(*profiles[0].trace, PlaneId(0)));
  CHECK(PathOf(profiles[0], list[7]) == PathOfTrack(*profiles[0].trace, 3));
  CHECK(PathOf(profiles[0], list[0]).empty());
}

TEST_CASE("without rules tracks stay as they are listed") {
  const auto profiles = Runs(TwoPlanes());
  CHECK(Text(profiles, Arranged(profiles, {})) ==
        "GPU 0[Stream 1 Stream 2 Copies] Host[main bytes~]");
}

TEST_CASE("rules fold, hide, pin and order by name") {
  const auto profiles = Runs(TwoPlanes());
  const Trace& trace = *profiles[0].trace;
  const std::string gpu = PlanePath(trace, PlaneId(0)), host = PlanePath(trace, PlaneId(2));
  const auto text = [&](const TrackRules& rules) {
    return Text(profiles, Arranged(profiles, rules));
  };
  TrackRules rules;
  rules.folded = {gpu, "no such plane"};
  CHECK(text(rules) == "GPU 0 Host[main bytes~]");
  rules.pinned = {PathOfTrack(trace, 2),
                  PathOfTrack(trace, 0)};  // stays in sight, whatever is folded
  CHECK(text(rules) == "Copies* Stream 1* GPU 0 Host[main bytes~]");
  rules = {};
  rules.hidden = {PathOfTrack(trace, 1), host};
  CHECK(text(rules) == "GPU 0[Stream 1 Copies]");
  rules.hidden = {PathOfTrack(trace, 0), PathOfTrack(trace, 1), PathOfTrack(trace, 2)};
  CHECK(text(rules) == "Host[main bytes~]");  // no heading over nothing
  rules = {};
  rules.order = {host, PathOfTrack(trace, 2)};
  CHECK(text(rules) == "Host[main bytes~] GPU 0[Copies Stream 1 Stream 2]");
  rules = {};
  rules.pinned = {host};
  CHECK(text(rules) == "Host*[main* bytes~*] GPU 0[Stream 1 Stream 2 Copies]");
}

TEST_CASE("tracks that no rule moved are sorted by name, busy time or number of events") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU 0", PlaneKind::kGpu);
  maker.Track(gpu, "Stream 14", TrackKind::kStream, {{"k", 0, 10}});
  maker.Track(gpu, "Stream 7", TrackKind::kStream, {{"k", 0, 5}, {"k", 6, 2}, {"k", 9, 1}});
  maker.Track(gpu, "Copies", TrackKind::kStream, {{"k", 0, 20}, {"k", 30, 1}});
  const auto profiles = Runs(maker.Finish());
  std::vector<TrackRules> rules(1);
  const auto text = [&](TrackSort sort) {
    const std::vector<TrackEntry> list = ListTracks(profiles);
    return Text(profiles, Arrange({.profiles = profiles,
                                   .list = list,
                                   .rules = rules,
                                   .hosts = {},
                                   .without_python = {},
                                   .sort = sort}));
  };
  CHECK(text(TrackSort::kRecorded) == "GPU 0[Stream 14 Stream 7 Copies]");
  CHECK(text(TrackSort::kName) == "GPU 0[Copies Stream 7 Stream 14]");
  CHECK(text(TrackSort::kBusy) == "GPU 0[Copies Stream 14 Stream 7]");
  CHECK(text(TrackSort::kEvents) == "GPU 0[Stream 7 Copies Stream 14]");
  // A track that was moved stays where it was put.
  rules[0].order = {PathOfTrack(*profiles[0].trace, 0)};
  CHECK(text(TrackSort::kName) == "GPU 0[Stream 14 Copies Stream 7]");
}

TEST_CASE("a filter leaves tracks whose name, or whose plane's, has all words") {
  const auto profiles = Runs(TwoPlanes());
  TrackRules rules;
  rules.filter = "STREAM";
  CHECK(Text(profiles, Arranged(profiles, rules)) == "GPU 0[Stream 1 Stream 2]");
  rules.filter = "gpu  2";
  CHECK(Text(profiles, Arranged(profiles, rules)) == "GPU 0[Stream 2]");
  rules.filter = "host";
  CHECK(Text(profiles, Arranged(profiles, rules)) == "Host[main bytes~]");
  rules.filter = "nothing";
  CHECK(Arranged(profiles, rules).empty());
}

TEST_CASE("a rule limits the rows of a track; a folded one has its first") {
  const auto profiles = Runs(TwoPlanes());
  const auto main = [&](const TrackRules& rules) {
    for (const LayoutItem& item : Arranged(profiles, rules)) {
      if (item.track == TrackId(3) && item.kind == LayoutItemKind::kTrack) return item;
    }
    return LayoutItem();
  };
  CHECK(main({}).depth == 3);
  CHECK(main({}).rows == 3);
  TrackRules rules;
  rules.rows[PathOfTrack(*profiles[0].trace, 3)] = 2;
  CHECK(main(rules).depth == 2);
  CHECK(main(rules).collapsible);
  rules.folded = {PathOfTrack(*profiles[0].trace, 3)};
  CHECK(main(rules).depth == 1);
  CHECK(main(rules).collapsed);
  // An event deeper than the drawn rows has no place.
  const TrackSet& set = profiles[0].trace->set;
  const Lane& deepest = set.LanesOf(set.tracks[3])[2];
  CHECK(DepthOf(set, main({}), EventRow(deepest.first_row)) == 2u);
  CHECK_FALSE(DepthOf(set, main(rules), EventRow(deepest.first_row)).has_value());
}

TEST_CASE("several runs and hosts have headings; planes keep to their host") {
  TraceMaker maker(2);
  for (int host = 0; host < 2; ++host) {
    for (const char* name : {"GPU", "Host"}) {
      const PlaneId plane = maker.Plane(name, PlaneKind::kGpu, host);
      maker.Track(plane, "t", TrackKind::kStream, {{"k", 0, 10}});
    }
  }
  auto profiles = Runs(maker.Finish());
  CHECK(Text(profiles, Arranged(profiles, {})) == "host-0 GPU[t] Host[t] host-1 GPU[t] Host[t]");
  TrackRules rules;
  rules.order = {PlanePath(*profiles[0].trace, PlaneId(3))};
  CHECK(Text(profiles, Arranged(profiles, rules)) == "host-0 GPU[t] Host[t] host-1 Host[t] GPU[t]");
  CHECK(Text(profiles, Arranged(profiles, {}, "host-1")) == "host-1 GPU[t] Host[t]");
  profiles.push_back({ProfileId(1), "other", TwoPlanes(), {}});
  CHECK(Text(profiles, Arranged(profiles, {}, "host-1")) == "run host-1 GPU[t] Host[t] run");
}

TEST_CASE("a hundred thousand tracks are arranged in a fraction of a second, rules and all") {
  TraceMaker maker;
  const PlaneId plane = maker.Plane("threads", PlaneKind::kHostThreads);
  for (int i = 0; i < 100'000; ++i)
    maker.Track(plane, "t" + std::to_string(i % 100), TrackKind::kThread, {{"k", i, 10}});
  const auto profiles = Runs(maker.Finish());
  TrackRules rules;
  rules.hidden = {
      PathOfTrack(*profiles[0].trace, 7)};  // by name: every hundredth track is called so
  rules.filter = "t";
  const std::vector<TrackEntry> list = ListTracks(profiles);
  CHECK(list.size() * sizeof(TrackEntry) < 100'100 * 128);
  const std::vector<LayoutItem> items = Arranged(profiles, rules);
  CHECK(items.size() == 99'001);
}

TEST_CASE("tracks and planes have the names and colours that rules give them") {
  const std::vector<Profile> profiles = Runs(TwoPlanes());
  const Trace& trace = *profiles[0].trace;
  const std::string plane = PlanePath(trace, PlaneId(0));
  const std::string track = TrackPath(trace, trace.set, trace.planes[0].tracks[1]);
  TrackRules rules;
  rules.names = {{plane, "the fast one"}, {track, "prefetch"}};
  rules.colors = {{track, 2}};
  // Items point into the rules, which have to outlive them.
  const std::vector<TrackEntry> list = ListTracks(profiles);
  const std::vector<TrackRules> all = {rules};
  const std::vector<std::string> hosts(1);
  size_t named = 0;
  for (const LayoutItem& item : Arrange({profiles, list, all, hosts, {}})) {
    const bool heading = item.kind == LayoutItemKind::kPlaneHeading && item.plane == PlaneId(0);
    const bool second = !IsHeading(item.kind) && item.track == trace.planes[0].tracks[1];
    CHECK(item.given == (heading ? "the fast one" : second ? "prefetch" : ""));
    CHECK(item.color == (second ? 2 : 0));
    named += heading || second;
    if (heading || second) CHECK(LabelOf(profiles[0], item).name == item.given);
  }
  CHECK(named == 2);
  // A filter finds the name that is seen, and still the recorded one.
  rules.filter = "prefetch";
  CHECK(Text(profiles, Arranged(profiles, rules)) == "GPU 0[Stream 2]");
  rules.filter = "stream 2";
  CHECK(Text(profiles, Arranged(profiles, rules)) == "GPU 0[Stream 2]");
}

TEST_CASE(
    "ranks lie at the top in the order of their lateness, with their tracks below each other") {
  std::vector<Profile> profiles = Runs(TwoPlanes());
  const Trace& trace = *profiles[0].trace;
  const auto& tracks = trace.planes[0].tracks;
  profiles[0].ranks = std::make_shared<const std::vector<RankTracks>>(
      std::vector<RankTracks>{{1, 75, {tracks[2], tracks[0]}}, {0, 0, {tracks[1]}}});
  const std::vector<TrackEntry> list = ListTracks(profiles);
  const auto arranged = [&](RankLayout layout, const TrackRules& rules = {}) {
    const std::vector<RankLayout> layouts{layout};
    const std::vector<TrackRules> all{rules};
    return Arrange({profiles, list, all, {}, {}, {}, TrackSort::kRecorded, layouts});
  };
  CHECK(Text(profiles, arranged(RankLayout::kApart)).starts_with("GPU 0[Stream 1 Stream 2"));
  for (const RankLayout layout : {RankLayout::kRows, RankLayout::kLane}) {
    const std::vector<LayoutItem> items = arranged(layout);
    CHECK(Text(profiles, items).starts_with("Copies* Stream 1* Stream 2*"));
    REQUIRE(items.size() > 3);
    for (size_t i = 0; i < 3; ++i) {
      REQUIRE(items[i].rank != nullptr);
      CHECK(items[i].rank->number == (i < 2 ? 1 : 0));
      CHECK(items[i].BeginsRank() == (i != 1));
      CHECK(items[i].thin == (layout == RankLayout::kLane));
      CHECK(items[i].rows == 1);
    }
    CHECK(items[3].rank == nullptr);
  }
  // Stripes touch, and a rank with one track has the height of two.
  Layout lane;
  lane.SetItems(arranged(RankLayout::kLane), LayoutSizes());
  CHECK(lane.items()[1].y == lane.items()[0].y + 7);
  CHECK(lane.items()[2].height == 14);
  CHECK(lane.items()[3].y > lane.items()[2].y + 14);
  TrackRules hidden;
  hidden.hidden = {TrackPath(trace, trace.set, tracks[2])};
  CHECK(Text(profiles, arranged(RankLayout::kRows, hidden)).starts_with("Stream 1* Stream 2*"));
}
