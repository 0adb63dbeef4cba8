// Saving profiles by commands, and a profile that takes the place of its first picture.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

struct SavingViewer : ViewerFixture {
  SavingViewer() { Open(TrainingTrace()); }
  void Do(CommandId id, CommandArgs args = {}) {
    Push(id, std::move(args));
    Frame(2);
  }
  CommandArgs Range(Ps begin, Ps end) const {
    CommandArgs args;
    args.range = {begin, end};
    return args;
  }
};

}  // namespace

TEST_CASE("a profile is saved at a path, or after the user was asked for one") {
  SavingViewer f;
  const ProfileId id = f.session.profiles[0].id;
  f.Do("file.save_as", {.text = "/tmp/a.stepscope", .replace = true});
  CHECK(f.services.saved_profile == id);
  CHECK(f.services.saved_path == "/tmp/a.stepscope");
  CHECK(f.services.saved_range.empty());
  CHECK(f.services.replaced);

  f.services.saved_profile = {};
  f.Do("file.save_as");
  CHECK_FALSE(f.services.saved_profile.valid());
  f.Do("file.write", {.text = "/tmp/b.stepscope"});
  CHECK(f.services.saved_profile == id);
  CHECK(f.services.saved_path == "/tmp/b.stepscope");
  CHECK_FALSE(f.services.replaced);
}

TEST_CASE("the range that panels are limited to is saved by itself") {
  SavingViewer f;
  f.Do("file.save_range_as", {.text = "/tmp/a.stepscope"});
  CHECK_FALSE(f.services.saved_profile.valid());  // there is no range
  f.Do("filter.range", f.Range(kPsPerMs, 5 * kPsPerMs));
  f.Do("file.save_range_as", {.text = "/tmp/a.stepscope"});
  CHECK(f.services.saved_range == TimeRange{kPsPerMs, 5 * kPsPerMs});
  f.Do("file.save_range_as");
  f.Do("file.write", {.text = "/tmp/c.stepscope"});
  CHECK(f.services.saved_path == "/tmp/c.stepscope");
  CHECK(f.services.saved_range == TimeRange{kPsPerMs, 5 * kPsPerMs});
}

TEST_CASE("what the app has to say is in the status bar, once") {
  SavingViewer f;
  f.session.note = "Saved x";
  f.session.notes = 1;
  f.Frame(2);
  CHECK(DrawnText().Has("Saved x"));
}

TEST_CASE("the view of a first picture goes on as that of the whole profile") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.session.profiles[0].arriving = true;
  ++f.session.generation;
  f.Frame(2);
  f.Push("file.save_as", {.text = "/tmp/a.stepscope"});
  f.Frame(2);
  CHECK_FALSE(f.services.saved_profile.valid());  // the rest of it is on its way
  CommandArgs range;
  range.range = {2 * kPsPerMs, 3 * kPsPerMs};
  f.viewer->commands().Push("view.set_range", {.range = range.range});
  f.Push("mark.add", range);
  f.WaitIdle();
  const TimeRange visible = f.viewer->view().visible;
  REQUIRE(f.viewer->view().profiles[0].markers.size() == 1);

  Profile whole = f.session.profiles[0];
  whole.follows = whole.id;
  whole.id = ProfileId(7);
  whole.arriving = false;
  whole.trace = TrainingTrace();
  f.session.profiles[0] = whole;
  ++f.session.generation;
  f.Frame(2);
  f.WaitIdle();
  CHECK(f.viewer->view().active == ProfileId(7));
  CHECK(f.viewer->view().visible == visible);
  REQUIRE(f.viewer->view().profiles.size() == 1);
  CHECK(f.viewer->view().profiles[0].profile == ProfileId(7));
  CHECK(f.viewer->view().profiles[0].markers.size() == 1);
  CHECK_FALSE(f.viewer->view().selected.valid());
}

// Threads a and b with so many events each, at different times.
std::shared_ptr<const Trace> PartOfThreads(int events) {
  test::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  for (const int thread : {0, 1}) {
    std::vector<test::SimpleEvent> list;
    for (int i = 0; i < events; ++i)
      list.push_back({i % 2 == 0 ? "even" : "odd", (thread + 10 * i) * kPsPerMs, kPsPerMs});
    maker.Track(host, thread == 0 ? "a" : "b", TrackKind::kThread, list);
  }
  return maker.Finish();
}

TEST_CASE("what is missing of a cut profile is asked for, and the event that is selected stays") {
  ViewerFixture f;
  f.Open(PartOfThreads(3));
  f.Push("file.load_rest");
  f.Frame(2);
  CHECK_FALSE(f.services.rest_of.valid());  // nothing is missing
  f.session.profiles[0].cut = true;
  ++f.session.generation;
  const ProfileId part = f.session.profiles[0].id;
  f.Frame(2);
  f.Push("file.load_rest");
  f.Frame(2);
  CHECK(f.services.rest_of == part);

  f.Push("select.event", {.event = {part, 0, EventRow(4)}});  // the second of b
  f.Push("mark.add", {.range = {2 * kPsPerMs, 3 * kPsPerMs}});
  f.WaitIdle();
  REQUIRE(f.viewer->view().selected.row == EventRow(4));
  Profile whole = f.session.profiles[0];
  whole.follows = std::exchange(whole.id, ProfileId(7));
  whole.cut = false;
  whole.trace = PartOfThreads(5);
  f.session.profiles[0] = whole;
  ++f.session.generation;
  f.Frame(2);
  CHECK(f.viewer->view().selected == EventRef{ProfileId(7), 0, EventRow(6)});
  CHECK(f.viewer->view().profiles[0].markers.size() == 1);
}

TEST_CASE("zoom, markers and folds of a large file's first picture stay when all of it is read") {
  LoadOptions options;
  options.preview_from_bytes = 0;
  std::shared_ptr<const Trace> picture;
  options.preview = [&](std::shared_ptr<const Trace> trace) { picture = std::move(trace); };
  test::GpuProfileOptions made;
  made.steps = 40;
  const auto loaded = LoadBytes("a.xplane.pb", test::MakeGpuProfile(made), options);
  REQUIRE(loaded.ok());
  REQUIRE(picture != nullptr);
  for (const bool zooms : {true, false}) {
    ViewerFixture f;
    f.Open(picture);
    f.session.profiles[0].arriving = true;
    ++f.session.generation;
    f.Frame(4);
    const ProfileViewState& first = f.viewer->view().profiles[0];
    const std::string plane = PlanePath(*picture, PlaneId(0));
    CHECK_FALSE(first.collapsed.contains(plane));
    f.Push("view.toggle_collapse", {.text = plane});
    const TimeRange span = picture->span;
    CommandArgs range;
    range.range = {span.begin + span.length() / 3, span.begin + span.length() / 2};
    f.Push("mark.add", range);
    if (zooms) f.Push("view.set_range", range);
    f.WaitIdle();
    const TimeRange visible = f.viewer->view().visible;
    REQUIRE(first.markers.size() == 1);

    Profile whole = f.session.profiles[0];
    whole.follows = std::exchange(whole.id, ProfileId(7));
    whole.arriving = false;
    whole.trace = *loaded;
    f.session.profiles[0] = whole;
    ++f.session.generation;
    f.Frame(1);
    // No frame shows anything else.
    if (zooms) CHECK(f.viewer->view().visible == visible);
    f.WaitIdle();
    const ProfileViewState& now = f.viewer->view().profiles[0];
    CHECK(now.profile == ProfileId(7));
    CHECK(now.markers.size() == 1);
    CHECK(now.markers[0].range == range.range);
    CHECK(now.collapsed.contains(plane));
    if (zooms) CHECK(f.viewer->view().visible == visible);
    // A view that showed everything goes on to show everything.
    if (!zooms) CHECK(f.viewer->view().visible.length() >= visible.length());
  }
}
