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
  if (IsOpen(*view, place.baseline)) view->baseline = place.baseline;
  for (const ProfileViewState& profile : place.profiles) {
    if (ProfileViewState* open = view->Find(profile.profile)) *open = profile;
  }
}

void PushTo(std::deque<ViewHistory::Place>* places, ViewHistory::Place place) {
  places->push_back(std::move(place));
  if (places->size() > ViewHistory::kMost) places->pop_front();
}

}  // namespace

ViewHistory::Place ViewHistory::PlaceOf(const ViewState& view, const Settings& settings) {
  Place place;
  place.view.profiles = view.profiles;
  place.view.visible = view.visible;
  place.view.scroll_y = view.scroll_y;
  place.view.filters = view.filters;
  place.view.measured = view.measured;
  place.view.tool = view.tool;
  place.view.selected = view.selected;
  place.view.active = view.active;
  place.view.baseline = view.baseline;
  place.arrangement = settings;
  return place;
}

void ViewHistory::Note(const Place& before, const Place& now, double seconds, uint64_t press) {
  if (std::exchange(restored_, false)) {
    arranged_ = true;
    last_ = seconds;
    return;
  }
  if (before == now) return;
  const bool tracks = before.arrangement != now.arrangement;
  const bool moved = !tracks && OnlyMoved(before.view, now.view);
  const bool quickly = moved && gesture_ && seconds - last_ < kOneGesture;
  const bool held = press != 0 && press == press_;
  // The scroll that follows from other tracks is taken back with them, and is no step of its own.
  const bool scrolled = moved && before.view.visible == now.view.visible;
  if (scrolled && arranged_ && seconds - last_ < kSettles) return;
  arranged_ = !moved;
  gesture_ = moved;
  press_ = press;
  last_ = seconds;
  forward_.clear();
  if (back_.empty() || (!quickly && !held)) PushTo(&back_, before);
}

// Leads to the last place of `from`, and keeps the present one in `to`.
void ViewHistory::Swap(std::deque<Place>* from, std::deque<Place>* to, ViewState* view,
                       Settings* settings) {
  PushTo(to, PlaceOf(*view, *settings));
  Restore(from->back().view, view);
  static_cast<TrackArrangement&>(*settings) = std::move(from->back().arrangement);
  from->pop_back();
}

bool ViewHistory::Back(ViewState* view, Settings* settings) {
  if (back_.empty()) return false;
  Swap(&back_, &forward_, view, settings);
  gesture_ = false;
  press_ = 0;
  restored_ = true;
  return true;
}

bool ViewHistory::Forward(ViewState* view, Settings* settings) {
  if (forward_.empty()) return false;
  Swap(&forward_, &back_, view, settings);
  gesture_ = false;
  press_ = 0;
  restored_ = true;
  return true;
}

}  // namespace stepscope
