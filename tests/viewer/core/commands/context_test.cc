// Going back and forward between views.
#include "viewer/core/commands/context.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

namespace {

ViewState ViewAt(Ps begin, Ps end) {
  ViewState view;
  view.profiles.push_back(
      {.profile = ProfileId(0), .map = {}, .host = {}, .collapsed = {}, .markers = {}});
  view.active = ProfileId(0);
  view.visible = {begin, end};
  return view;
}

ViewHistory::Place Place(const ViewState& view) { return ViewHistory::PlaceOf(view, Settings()); }
bool Back(ViewHistory& history, ViewState* view) {
  Settings settings;
  return history.Back(view, &settings);
}
bool Forward(ViewHistory& history, ViewState* view) {
  Settings settings;
  return history.Forward(view, &settings);
}

}  // namespace

TEST_CASE("back leads to the view before, forward to the one that was left") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  const ViewState first = view;
  view.visible = {10, 20};
  history.Note(Place(first), Place(view), 1);
  const ViewState second = view;
  view.selected = {ProfileId(0), 0, EventRow(7)};
  history.Note(Place(second), Place(view), 1.1);  // another kind of change is a view of its own
  REQUIRE(Back(history, &view));
  CHECK(view.visible == TimeRange{10, 20});
  CHECK_FALSE(view.selected.valid());
  REQUIRE(Back(history, &view));
  CHECK(view.visible == TimeRange{0, 100});
  CHECK_FALSE(Back(history, &view));
  REQUIRE(Forward(history, &view));
  REQUIRE(Forward(history, &view));
  CHECK(view.selected.row == EventRow(7));
  CHECK_FALSE(Forward(history, &view));
}

TEST_CASE("the steps of one gesture are one view") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  for (int i = 1; i <= 20; ++i) {
    const ViewState before = view;
    view.visible.begin = i;
    history.Note(Place(before), Place(view), 0.05 * i);
  }
  REQUIRE(Back(history, &view));
  CHECK(view.visible.begin == 0);
  CHECK_FALSE(history.CanGoBack());
}

TEST_CASE("a pause ends a gesture, and a new change forgets what was ahead") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  for (int i = 1; i <= 2; ++i) {
    const ViewState before = view;
    view.visible.begin = i;
    history.Note(Place(before), Place(view), 10.0 * i);
  }
  REQUIRE(Back(history, &view));
  CHECK(view.visible.begin == 1);
  history.Note(Place(view), Place(view), 21);  // the change that Back made is not noted
  CHECK(history.CanGoForward());
  const ViewState before = view;
  view.measured = {3, 4};
  history.Note(Place(before), Place(view), 22);
  CHECK_FALSE(history.CanGoForward());
}

TEST_CASE("closed profiles stay closed, and markers come back") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  view.selected = {ProfileId(0), 0, EventRow(1)};
  view.profiles[0].markers.push_back({{5, 5}, "here", 0});
  ViewState before = view;
  view.profiles[0].markers.clear();
  history.Note(Place(before), Place(view), 1);
  REQUIRE(Back(history, &view));
  CHECK(view.profiles[0].markers.size() == 1);
  REQUIRE(Forward(history, &view));
  view.profiles[0].profile = ProfileId(1);
  view.active = ProfileId(1);
  view.selected = {};
  REQUIRE(Back(history, &view));
  CHECK(view.active == ProfileId(1));
  CHECK_FALSE(view.selected.valid());
  CHECK(view.profiles[0].markers.empty());
}

TEST_CASE("the history has an end") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  for (size_t i = 0; i < ViewHistory::kMost + 50; ++i) {
    const ViewState before = view;
    view.measured = {0, static_cast<Ps>(i) + 1};
    history.Note(Place(before), Place(view), static_cast<double>(i));
  }
  size_t steps = 0;
  while (Back(history, &view)) ++steps;
  CHECK(steps == ViewHistory::kMost);
}

TEST_CASE("all changes while one button is held are one view, of any kind") {
  ViewHistory history;
  ViewState view = ViewAt(0, 100);
  const auto measure = [&](Ps end, double seconds, uint64_t press) {
    const ViewState before = view;
    view.measured = {3, end};
    history.Note(Place(before), Place(view), seconds, press);
  };
  for (int i = 0; i < 5; ++i) measure(10 + i, 2.0 * i, 1);  // slowly
  measure(30, 10.1, 2);
  measure(31, 10.2, 0);
  REQUIRE(Back(history, &view));
  CHECK(view.measured.end == 30);
  REQUIRE(Back(history, &view));
  CHECK(view.measured.end == 14);
  REQUIRE(Back(history, &view));
  CHECK(view.measured.empty());
  CHECK_FALSE(history.CanGoBack());
}

TEST_CASE("the arrangement of tracks comes back") {
  ViewHistory history;
  Settings settings;
  ViewState view = ViewAt(0, 100);
  const auto before = ViewHistory::PlaceOf(view, settings);
  settings.tracks.hidden = {"host|GPU 1"};
  settings.track_sort = TrackSort::kName;
  history.Note(before, ViewHistory::PlaceOf(view, settings), 1);
  REQUIRE(history.Back(&view, &settings));
  CHECK(settings.tracks == TrackRules());
  CHECK(settings.track_sort == TrackSort::kRecorded);
  REQUIRE(history.Forward(&view, &settings));
  CHECK(settings.tracks.hidden == TrackRules::Paths{"host|GPU 1"});
  CHECK(settings.track_sort == TrackSort::kName);
}

TEST_CASE("the scroll that follows from other tracks is taken back with them, in one step") {
  ViewHistory history;
  Settings settings;
  ViewState view = ViewAt(0, 100);
  const auto now = [&] { return ViewHistory::PlaceOf(view, settings); };
  const auto scroll = [&](double to, double seconds) {
    const auto before = now();
    view.scroll_y = to;
    history.Note(before, now(), seconds);
  };
  scroll(40, 1);
  const auto before = now();
  settings.tracks.hidden = {"host|GPU 1"};
  history.Note(before, now(), 10);
  scroll(25, 10.02);  // the timeline keeps the row under the mouse
  REQUIRE(history.Back(&view, &settings));
  CHECK(settings.tracks == TrackRules());
  CHECK(view.scroll_y == 40);
  history.Note(before, now(), 20);  // of Back itself
  scroll(39, 20.02);                // what the timeline does then forgets nothing
  REQUIRE(history.CanGoForward());
  REQUIRE(history.Forward(&view, &settings));
  CHECK(settings.tracks.hidden == TrackRules::Paths{"host|GPU 1"});
  history.Note(before, now(), 30);
  scroll(90, 31);  // by the user
  REQUIRE(history.Back(&view, &settings));
  CHECK(view.scroll_y == 25);
  CHECK(settings.tracks.hidden == TrackRules::Paths{"host|GPU 1"});
}
