// Folded and hidden tracks come back at the next start, by their names.
#include "viewer/core/state/track_rules.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

using Names = TrackRules::Paths;

// A trace whose plane "Spans", if it has one, begins folded.
std::shared_ptr<const Trace> MadeTrace(bool spans = true) {
  TraceMaker maker;
  std::vector<SimpleEvent> many;
  for (Ps i = 0; i < 400; ++i) many.push_back({"op", i * 10, 5});
  const PlaneId python = maker.Plane("python", PlaneKind::kHostThreads);
  maker.Track(python, "main", TrackKind::kThread, many);
  maker.Track(python, "other", TrackKind::kThread, {{"a", 0, 100}, {"b", 10, 20}});
  maker.Track(maker.Plane("/device:GPU:0", PlaneKind::kGpu), "stream", TrackKind::kStream, many);
  if (spans) {
    maker.Track(maker.Plane("Spans", PlaneKind::kHostThreads), "t", TrackKind::kThread,
                {{"span", 0, 4000}});
  }
  return maker.Finish();
}

std::string PathAt(const Trace& trace, uint32_t plane) { return PlanePath(trace, PlaneId(plane)); }

std::string DerivedAt(const Trace& trace, uint32_t plane) {
  return DerivedTracksPath(trace, PlaneId(plane));
}

struct Window : ViewerFixture {
  explicit Window(const std::string& settings = {},
                  std::shared_ptr<const Trace> trace = MadeTrace())
      : ViewerFixture({1200, 800}, settings) {
    Open(std::move(trace));
  }
  void PushText(CommandId id, const std::string& text = {}) {
    CommandArgs args;
    args.text = text;
    Push(id, args);
  }
  const Trace& trace() const { return *session.profiles[0].trace; }
  const Names& folded() const { return viewer->view().profiles[0].collapsed; }
  Names FoldedAfterRestart(std::shared_ptr<const Trace> trace = MadeTrace()) const {
    return Window(SettingsJson(viewer->settings()), std::move(trace)).folded();
  }
};

}  // namespace

TEST_CASE("folds: a thread that waits in one call begins folded") {
  TraceMaker maker;
  std::vector<SimpleEvent> many;
  for (Ps i = 0; i < 400; ++i) many.push_back({"op", i * 10, 5});
  const PlaneId python = maker.Plane("python", PlaneKind::kHostThreads);
  maker.Track(python, "monitor", TrackKind::kThread, {{"bootstrap", 0, 4000}, {"wait", 1, 3999}});
  maker.Track(python, "main", TrackKind::kThread, many);
  maker.Track(python, "late", TrackKind::kThread, {{"bootstrap", 3000, 1000}, {"wait", 3500, 100}});
  const auto trace = maker.Finish();
  CHECK(FoldedAtFirst(*trace) == Names{TrackPath(*trace, trace->set, TrackId(0))});
}

TEST_CASE("folds: rules give back what was folded, and leave those of other profiles alone") {
  const auto trace = MadeTrace(), other = MadeTrace(false);
  const std::string gpu = PathAt(*trace, 1), spans = PathAt(*trace, 2);
  const std::string track = TrackPath(*trace, trace->set, TrackId(1));
  const std::string derived = DerivedAt(*trace, 1);
  REQUIRE(FoldedAtFirst(*trace) == Names{spans, derived});
  TrackRules rules;
  CHECK(FoldedBy(rules, *trace) == Names{spans, derived});
  KeepFolds(*trace, {spans, derived}, &rules);
  CHECK(rules == TrackRules());  // as at first: nothing to keep
  for (const Names& folded : {Names{gpu, track}, Names{}, Names{spans, gpu}, Names{spans}}) {
    rules.folded.insert("elsewhere|plane");
    KeepFolds(*trace, folded, &rules);
    CHECK(FoldedBy(rules, *trace) == folded);
    CHECK(rules.folded.contains("elsewhere|plane"));
  }
  KeepFolds(*trace, {gpu, derived}, &rules);
  CHECK(FoldedBy(rules, *other) == Names{gpu, derived});
  KeepFolds(*other, {}, &rules);
  CHECK(FoldedBy(rules, *trace).empty());  // that "Spans" is unfolded is still known
}

TEST_CASE("folds: the user's folds are there at the next start") {
  Window f;
  const std::string gpu = PathAt(f.trace(), 1), spans = PathAt(f.trace(), 2);
  const std::string track = TrackPath(f.trace(), f.trace().set, TrackId(1));
  const std::string derived = DerivedAt(f.trace(), 1);
  CHECK(f.FoldedAfterRestart() == Names{spans, derived});
  f.PushText("view.toggle_collapse", track);
  f.PushText("view.toggle_collapse", gpu);
  f.PushText("view.toggle_collapse", spans);
  CHECK(f.folded() == Names{gpu, track, derived});
  CHECK(f.FoldedAfterRestart() == Names{gpu, track, derived});
  CHECK(f.FoldedAfterRestart(MadeTrace(false)) == Names{gpu, track, derived});
  f.PushText("view.toggle_collapse", gpu);
  CHECK(f.FoldedAfterRestart() == Names{track, derived});
  f.Push("view.collapse_all");
  CHECK(f.FoldedAfterRestart() == f.folded());
  f.Push("view.expand_all");
  CHECK(f.folded().empty());
  CHECK(f.FoldedAfterRestart().empty());
  f.Push("view.reset_layout");
  CHECK(f.folded() == Names{spans, derived});
  CHECK(f.viewer->settings().tracks == TrackRules());
}

TEST_CASE("folds: rules set while a profile is open take effect") {
  Window f;
  const std::string gpu = PathAt(f.trace(), 1);
  f.PushText("app.set", "timeline.tracks=fold " + gpu);
  CHECK(f.folded().contains(gpu));
  f.PushText("app.set", "timeline.tracks=");
  CHECK_FALSE(f.folded().contains(gpu));
}

TEST_CASE("folds: a hidden plane stays hidden until it is shown or one of its events is gone to") {
  Window f;
  const uint32_t all = f.canvas().rows;
  const std::string gpu = PathAt(f.trace(), 1);
  f.PushText("view.toggle_hidden", gpu);
  f.Frame(2);
  const uint32_t fewer = f.canvas().rows;
  CHECK(fewer < all);
  CHECK(Window(SettingsJson(f.viewer->settings())).canvas().rows == fewer);
  f.Push("view.show_hidden");
  f.Frame(2);
  CHECK(f.canvas().rows == all);
  CHECK(f.viewer->settings().tracks == TrackRules());

  f.PushText("view.toggle_hidden", TrackPath(f.trace(), f.trace().set, TrackId(2)));
  f.Frame(2);
  CHECK(f.canvas().rows < all);
  const TrackSet& set = f.trace().set;
  CommandArgs args;
  args.event = {ProfileId(0), 0, EventRow(set.lanes[set.tracks[2].first_lane.value].first_row)};
  f.Push("select.reveal", args);
  f.Frame(3);
  CHECK(f.canvas().rows == all);
  f.PushText("view.toggle_hidden", gpu);
  f.Push("view.reset_layout");
  f.Frame(3);
  CHECK(f.viewer->settings().tracks == TrackRules());
}
