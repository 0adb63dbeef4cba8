#include "viewer/core/state/view_history.h"

#include <utility>

namespace stepscope {
namespace {

// True if the views differ only in what is in sight: another time, or tracks further down.
bool OnlyMoved(ViewState a, const ViewState& b) {
  a.visible = b.visible;
  a.scroll_y = b.scroll_y;
  for (ProfileViewState& profile : a.profiles) {
    if (const ProfileViewState* other = b.Find(profile.profile)) profile.scroll_y = other->scroll_y;
  }
  return a == b;
}

bool IsOpen(const ViewState& view, ProfileId profile) { return view.Find(profile) != nullptr; }

// Brings a place back into a view whose profiles may have changed since.
void Restore(const ViewState& place, ViewState* view) {
  view->visible = place.visible;
  view->scroll_y = place.scroll_y;
  view->filters = place.filters;
  view->measured = place.measured;
  view->tool = place.tool;
  if (!place.selected.valid() || IsOpen(*view, place.selected.trace))
    view->selected = place.selected;
  if (IsOpen(*view, place.active)) view->active = place.active;
  for (const ProfileViewState& profile : place.profiles) {
    if (ProfileViewState* open = view->Find(profile.profile)) *open = profile;
  }
}

void PushTo(std::deque<ViewState>* views, ViewState view) {
  views->push_back(std::move(view));
  if (views->size() > ViewHistory::kMost) views->pop_front();
}

}  // namespace

ViewState ViewHistory::PlaceOf(const ViewState& view) {
  ViewState place;
  place.profiles = view.profiles;
  place.visible = view.visible;
  place.scroll_y = view.scroll_y;
  place.filters = view.filters;
  place.measured = view.measured;
  place.tool = view.tool;
  place.selected = view.selected;
  place.active = view.active;
  return place;
}

void ViewHistory::Note(const ViewState& before, const ViewState& now, double seconds) {
  if (std::exchange(restored_, false) || before == now) return;
  const bool moved = OnlyMoved(before, now);
  const bool same_gesture = moved && gesture_ && seconds - last_ < kOneGesture && !back_.empty();
  gesture_ = moved;
  last_ = seconds;
  forward_.clear();
  if (!same_gesture) PushTo(&back_, before);
}

bool ViewHistory::Back(ViewState* view) {
  if (back_.empty()) return false;
  PushTo(&forward_, PlaceOf(*view));
  Restore(back_.back(), view);
  back_.pop_back();
  gesture_ = false;
  restored_ = true;
  return true;
}

bool ViewHistory::Forward(ViewState* view) {
  if (forward_.empty()) return false;
  PushTo(&back_, PlaceOf(*view));
  Restore(forward_.back(), view);
  forward_.pop_back();
  gesture_ = false;
  restored_ = true;
  return true;
}

}  // namespace stepscope
