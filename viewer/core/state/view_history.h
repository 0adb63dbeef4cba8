// ViewHistory: the views that the user can go back to, with the arrangement of tracks. Panning and
// zooming take many small steps; steps that follow each other quickly count as one view, and so do
// all changes while one mouse button is held. Plain data; UI thread only.
#pragma once

#include <cstdint>
#include <deque>

#include "viewer/core/state/settings.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

class ViewHistory {
 public:
  static constexpr size_t kMost = 200;        // the oldest are forgotten
  static constexpr double kOneGesture = 0.7;  // seconds between changes that belong together
  // Seconds after a change of tracks in which the timeline may scroll by itself to what is left.
  static constexpr double kSettles = 0.3;

  // A view, and the settings that arrange its tracks.
  struct Place {
    ViewState view;
    TrackArrangement arrangement;
    bool operator==(const Place&) const = default;
  };
  // The part of a view that is brought back is all but the highlighted events and the count of
  // reveals. O(folded tracks)
  static Place PlaceOf(const ViewState& view, const Settings& settings);
  // Notes that commands changed `before` into `now`. `seconds` is the time since any fixed moment.
  // `press` is the number of the mouse press during which they did; 0: no button was down.
  void Note(const Place& before, const Place& now, double seconds, uint64_t press = 0);
  // Goes back or forward; false if there is no such view. A profile that was closed stays closed.
  bool Back(ViewState* view, Settings* settings);
  bool Forward(ViewState* view, Settings* settings);
  bool CanGoBack() const { return !back_.empty(); }
  bool CanGoForward() const { return !forward_.empty(); }

 private:
  static void Swap(std::deque<Place>* from, std::deque<Place>* to, ViewState* view,
                   Settings* settings);

  std::deque<Place> back_, forward_;
  double last_ = 0;        // when a view was last noted
  uint64_t press_ = 0;     // during which it was
  bool gesture_ = false;   // the last change moved the visible part only
  bool arranged_ = false;  // the last change was another one
  bool restored_ = false;  // the next change was made by Back or Forward
};

}  // namespace stepscope
