// ViewHistory: the views that the user can go back to. Panning and zooming take many small steps;
// steps that follow each other quickly count as one view. Plain data; UI thread only.
#pragma once

#include <deque>

#include "viewer/core/state/view_state.h"

namespace stepscope {

class ViewHistory {
 public:
  static constexpr size_t kMost = 200;        // the oldest are forgotten
  static constexpr double kOneGesture = 0.7;  // seconds between changes that belong together

  // The part of a view that is brought back: all but the highlighted events and the count of
  // reveals. O(folded tracks)
  static ViewState PlaceOf(const ViewState& view);
  // Notes that commands changed `before` into `now`, both from PlaceOf. `seconds` is the time since
  // any fixed moment.
  void Note(const ViewState& before, const ViewState& now, double seconds);
  // Goes back or forward; false if there is no such view. A profile that was closed stays closed.
  bool Back(ViewState* view);
  bool Forward(ViewState* view);
  bool CanGoBack() const { return !back_.empty(); }
  bool CanGoForward() const { return !forward_.empty(); }

 private:
  std::deque<ViewState> back_, forward_;
  double last_ = 0;        // when a view was last noted
  bool gesture_ = false;   // the last change moved the visible part only
  bool restored_ = false;  // the next change was made by Back or Forward
};

}  // namespace stepscope
