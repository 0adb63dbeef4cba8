// Going back and forward between views.
#include "viewer/core/state/view_history.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

namespace {

ViewState At(Ps begin, Ps end) {
  ViewState view;
  view.profiles.push_back(
      {.profile = ProfileId(0), .map = {}, .host = {}, .collapsed = {}, .markers = {}});
  view.active = ProfileId(0);
  view.visible = {begin, end};
  return view;
}

}  // namespace

TEST_CASE("back leads to the view before, forward to the one that was left") {
  ViewHistory history;
  ViewState view = At(0, 100);
  const ViewState first = view;
  view.visible = {10, 20};
  history.Note(first, view, 1);
  const ViewState second = view;
  view.selected = {ProfileId(0), 0, EventRow(7)};
  history.Note(second, view, 1.1);  // another kind of change is a view of its own
  REQUIRE(history.Back(&view));
  CHECK(view.visible == TimeRange{10, 20});
  CHECK_FALSE(view.selected.valid());
  REQUIRE(history.Back(&view));
  CHECK(view.visible == TimeRange{0, 100});
  CHECK_FALSE(history.Back(&view));
  REQUIRE(history.Forward(&view));
  REQUIRE(history.Forward(&view));
  CHECK(view.selected.row == EventRow(7));
  CHECK_FALSE(history.Forward(&view));
}

TEST_CASE("the steps of one gesture are one view") {
  ViewHistory history;
  ViewState view = At(0, 100);
  for (int i = 1; i <= 20; ++i) {
    const ViewState before = view;
    view.visible.begin = i;
    history.Note(before, view, 0.05 * i);
  }
  REQUIRE(history.Back(&view));
  CHECK(view.visible.begin == 0);
  CHECK_FALSE(history.CanGoBack());
}

TEST_CASE("a pause ends a gesture, and a new change forgets what was ahead") {
  ViewHistory history;
  ViewState view = At(0, 100);
  for (int i = 1; i <= 2; ++i) {
    const ViewState before = view;
    view.visible.begin = i;
    history.Note(before, view, 10.0 * i);
  }
  REQUIRE(history.Back(&view));
  CHECK(view.visible.begin == 1);
  history.Note(view, view, 21);  // the change that Back made is not noted
  CHECK(history.CanGoForward());
  const ViewState before = view;
  view.measured = {3, 4};
  history.Note(before, view, 22);
  CHECK_FALSE(history.CanGoForward());
}

TEST_CASE("closed profiles stay closed, and markers come back") {
  ViewHistory history;
  ViewState view = At(0, 100);
  view.selected = {ProfileId(0), 0, EventRow(1)};
  view.profiles[0].markers.push_back({{5, 5}, "here", 0});
  ViewState before = ViewHistory::PlaceOf(view);
  view.profiles[0].markers.clear();
  history.Note(before, ViewHistory::PlaceOf(view), 1);
  REQUIRE(history.Back(&view));
  CHECK(view.profiles[0].markers.size() == 1);
  REQUIRE(history.Forward(&view));
  view.profiles[0].profile = ProfileId(1);
  view.active = ProfileId(1);
  view.selected = {};
  REQUIRE(history.Back(&view));
  CHECK(view.active == ProfileId(1));
  CHECK_FALSE(view.selected.valid());
  CHECK(view.profiles[0].markers.empty());
}

TEST_CASE("the history has an end") {
  ViewHistory history;
  ViewState view = At(0, 100);
  for (size_t i = 0; i < ViewHistory::kMost + 50; ++i) {
    const ViewState before = view;
    view.measured = {0, static_cast<Ps>(i) + 1};
    history.Note(before, view, static_cast<double>(i));
  }
  size_t steps = 0;
  while (history.Back(&view)) ++steps;
  CHECK(steps == ViewHistory::kMost);
}
