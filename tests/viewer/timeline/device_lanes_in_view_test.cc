// Tests of the derived tracks of a GPU on the timeline: where they stand, how they are hidden,
// their colours, and the values of counters under the mouse.
#include <doctest/doctest.h>

#include <algorithm>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "tests/support/gpu_profile.h"
#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/slices/plan_area.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

std::vector<Profile> Runs() {
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 4;
  options.gpus = 2;
  options.scenario = test::GpuScenario::kInputBound;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  Profile profile{ProfileId(0), "run", *trace, {}};
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  profile.derived = profile.analysis->Get<DerivedTracks>().sets;
  return {profile};
}

// Names of the items below the first heading that is followed by a GPU's derived tracks.
std::vector<std::string> Names(const std::vector<Profile>& profiles, LaneChoice choice) {
  const std::vector<TrackEntry> list = ListTracks(profiles);
  std::vector<std::string> names;
  int planes = 0;
  for (const LayoutItem& item : Arrange({profiles, list, {}, {}, {}, choice})) {
    planes += item.kind == LayoutItemKind::kPlaneHeading;
    if (planes > 1) break;
    if (item.kind != LayoutItemKind::kTrack && item.kind != LayoutItemKind::kCounter) continue;
    const TrackSet& set = profiles[item.profile].Set(item.set);
    names.emplace_back(set.names->strings.View(set.tracks[item.track.value].name));
  }
  return names;
}

// Counts the texels of idle time that waits for input.
size_t InputTexels(const ViewerFixture& f) {
  constexpr float kIdleShare = 0.6f;  // idle time is paler than work
  const Theme theme = MakeTheme(ThemeKind::kDark);
  const Rgba color = Mix(theme[Role::kPanel], theme[Kind::kInput], kIdleShare) & 0xffffffu;
  const auto texels = f.canvas().texels;
  return static_cast<size_t>(std::count_if(
      texels.begin(), texels.end(), [color](uint32_t t) { return (t & 0xffffffu) == color; }));
}

using Strings = std::vector<std::string>;
// The names from one on, `n` at most.
Strings From(const Strings& names, const std::string& first, size_t n) {
  const auto begin = std::find(names.begin(), names.end(), first);
  const auto left = static_cast<size_t>(names.end() - begin);
  return {begin, begin + static_cast<ptrdiff_t>(std::min(n, left))};
}

}  // namespace

TEST_CASE("lanes: stand below the streams in a fixed order, and as chosen") {
  const std::vector<Profile> profiles = Runs();
  const Strings all = Names(profiles, {true, true});
  CHECK(all.front().starts_with("Stream #"));
  CHECK(From(all, "Idle", 6) ==
        Strings{"Idle", "Utilisation", "Queue", "Launch delay", "Memory in use", "Steps"});
  CHECK(std::none_of(std::find(all.begin(), all.end(), "Idle"), all.end(),
                     [](const std::string& name) { return name.starts_with("Stream #"); }));
  CHECK(From(Names(profiles, {true, false}), "Idle", 3) == Strings{"Idle", "Utilisation", "Steps"});
  CHECK(From(Names(profiles, {false, true}), "Queue", 4) ==
        Strings{"Queue", "Launch delay", "Memory in use", "Steps"});
  const Strings none = Names(profiles, {false, false});
  CHECK(From(none, "Idle", 1).empty());
  CHECK(From(none, "Steps", 1) == Strings{"Steps"});
}

TEST_CASE("lanes: derived tracks are folded into the first of them, until one is moved") {
  const std::vector<Profile> profiles = Runs();
  const Trace& trace = *profiles[0].trace;
  PlaneId gpu;
  for (uint32_t p = 0; p < trace.planes.size() && !gpu.valid(); ++p) {
    if (trace.planes[p].kind == PlaneKind::kGpu) gpu = PlaneId(p);
  }
  const std::string path = DerivedTracksPath(trace, gpu);
  CHECK(FoldedAtFirst(trace).contains(path));
  const auto derived = [&](const TrackRules& rules) {
    std::vector<LayoutItem> out;
    for (const LayoutItem& item : Arranged(profiles, rules)) {
      const bool track = !IsHeading(item.kind) && item.plane == gpu;
      if (track && item.set != 0) out.push_back(item);
    }
    return out;
  };
  const std::vector<LayoutItem> all = derived({});
  REQUIRE(all.size() > 3);
  CHECK(all[0].lane == DerivedTrackKind::kIdle);
  CHECK(all[0].leads == all.size() - 1);
  CHECK(all[0].collapsible);
  CHECK_FALSE(all[0].collapsed);
  CHECK(FoldPathOf(profiles[0], all[0]) == path);
  CHECK(all[1].leads == 0);
  TrackRules rules;
  rules.folded = {path};
  const std::vector<LayoutItem> folded = derived(rules);
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].lane == DerivedTrackKind::kIdle);
  CHECK(folded[0].leads == all[0].leads);
  CHECK(folded[0].collapsed);
  // A track that was moved stands by itself.
  const LayoutItem& last = all.back();
  rules.order = {TrackPath(trace, profiles[0].Set(last.set), last.track)};
  const std::vector<LayoutItem> moved = derived(rules);
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].track == last.track);
  CHECK(moved[0].leads == 0);
  CHECK(moved[1].leads == all[0].leads - 1);
  // A filter shows what it finds.
  rules.filter = "gpu";
  rules.order.clear();
  CHECK(derived(rules).size() == all.size());
}

TEST_CASE("lanes: a derived event that is gone to unfolds the derived tracks") {
  ViewerFixture f;
  const std::vector<Profile> profiles = Runs();
  f.Open(profiles[0].trace);
  f.session.profiles[0].derived = profiles[0].derived;
  f.Frame(3);
  const size_t folded = f.viewer->view().profiles[0].collapsed.size();
  for (uint32_t set = 1; set < profiles[0].sets(); ++set) {
    if (profiles[0].Set(set).tracks[0].kind != TrackKind::kSteps) continue;
    CommandArgs args;
    args.event = {f.session.profiles[0].id, set, EventRow(0)};
    f.Push("select.reveal", args);
    break;
  }
  f.Frame(4);
  CHECK(f.viewer->view().profiles[0].collapsed.size() == folded - 1);
}

TEST_CASE("lanes: commands hide and show them, and the layout's reset undoes it") {
  ViewerFixture f;
  const std::vector<Profile> profiles = Runs();
  f.Open(profiles[0].trace);
  f.session.profiles[0].derived = profiles[0].derived;
  f.Frame(3);
  CHECK(InputTexels(f) > 100);
  f.Push("view.derived_lanes");
  f.Frame(3);
  CHECK(InputTexels(f) == 0);
  CHECK_FALSE(f.viewer->settings().derived_lanes);
  f.Push("view.waiting_lanes");
  f.Frame(3);
  CHECK(f.viewer->settings().waiting_lanes);
  f.Push("view.reset_layout");
  f.Frame(3);
  CHECK(f.viewer->settings().derived_lanes);
  CHECK_FALSE(f.viewer->settings().waiting_lanes);
  CHECK(InputTexels(f) > 100);
}

TEST_CASE("lanes: going to an idle slice that is hidden shows its lane") {
  ViewerFixture f;
  const std::vector<Profile> profiles = Runs();
  f.Open(profiles[0].trace);
  f.session.profiles[0].derived = profiles[0].derived;
  f.Frame(3);
  f.Push("view.derived_lanes");
  f.Frame(3);
  REQUIRE_FALSE(f.viewer->settings().derived_lanes);
  for (uint32_t set = 1; set < profiles[0].sets(); ++set) {
    if (DerivedTrackKindOf(profiles[0].Set(set).tracks[0]) != DerivedTrackKind::kIdle) continue;
    CommandArgs args;
    args.event = {f.session.profiles[0].id, set, EventRow(0)};
    f.Push("select.reveal", args);
    break;
  }
  f.Frame(4);
  CHECK(f.viewer->settings().derived_lanes);
}

TEST_CASE("lanes: an idle slice has the colour of its loss, other names keep theirs") {
  const std::vector<Profile> profiles = Runs();
  NameCache names;
  names.SetTheme(MakeTheme(ThemeKind::kLight));
  int checked = 0;
  for (uint32_t set = 1; set < profiles[0].sets(); ++set) {
    const NameTable& table = *profiles[0].Set(set).names;
    names.Prepare(table, true);
    for (uint32_t m = 0; m < table.metas.size(); ++m) {
      const bool idle = table.metas[m].category == EventCategory::kOverhead;
      const Rgba want = idle ? names.theme()[LossKind(table.Name(MetaId(m)))]
                             : names.theme().NameColor(table.DisplayName(MetaId(m)));
      CHECK(names.Color(table, m) == want);
      checked += idle;
    }
  }
  CHECK(checked > 2);
  CHECK(LossKind("input") == Kind::kInput);
  CHECK(LossKind("launch") == Kind::kKernelLaunch);
  CHECK(LossKind("unknown") == Kind::kOther);
}

TEST_CASE("lanes: a counter under the mouse, its mean, extremes and last value") {
  CounterSeries series;
  series.time = {0, 100, 200};
  series.value = {10, 40, 0};
  series.max = 40;
  const CounterColumn held = CounterIn(series, {110, 120});
  CHECK(held.changes == 0);
  CHECK(held.most == 40);
  CHECK(held.mean == 40);
  const CounterColumn both = CounterIn(series, {50, 250});
  CHECK(both.changes == 2);
  CHECK(both.least == 0);
  CHECK(both.most == 40);
  CHECK(both.first == 10);
  CHECK(both.mean == doctest::Approx((50 * 10 + 100 * 40) / 200.0));
  CHECK(CounterIn(series, {-50, -10}).most == 0);  // before it begins
}

TEST_CASE("lanes: a share of time is drawn as its mean, from 0 to 100 %") {
  CounterSeries series;
  for (Ps i = 0; i < 100; ++i) {
    series.time.push_back(i * 10);
    series.value.push_back(i % 2 == 0 ? 80 : 0);
  }
  series.max = 80;
  std::vector<float> out(10);
  CounterInView(series, TimeAxis({0, 1000}, 10), out, CounterScale::kPercent);
  for (const float share : out) CHECK(share == doctest::Approx(0.4));
  CounterInView(series, TimeAxis({0, 1000}, 10), out);
  for (const float peak : out) CHECK(peak == doctest::Approx(1));
}

TEST_CASE("lanes: values of counters have the unit that their names tell") {
  const std::vector<Profile> profiles = Runs();
  const auto text = [&](DerivedTrackKind lane, double value) -> std::string {
    for (uint32_t set = 1; set < profiles[0].sets(); ++set) {
      for (const Track& track : profiles[0].Set(set).tracks) {
        if (DerivedTrackKindOf(track) == lane)
          return CounterText(profiles[0].Set(set), track, value);
      }
    }
    return "no such lane";
  };
  CHECK(text(DerivedTrackKind::kUtilisation, 42.125) == "42.12 %");
  CHECK(text(DerivedTrackKind::kLaunchDelay, 7.5) == "7.5 \u00b5s");
  CHECK(text(DerivedTrackKind::kLaunchDelay, 2500) == "2.5 ms");
  CHECK(text(DerivedTrackKind::kQueue, 12) == "12");
  CHECK(text(DerivedTrackKind::kMemory, 2.0 * (1 << 30)) == "2.000 GiB");
}
