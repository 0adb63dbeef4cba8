// ViewHistory: the views that a person can go back to. What pans and zooms does so in many small
// steps; those that follow each other quickly are one view. Plain data; UI thread only.
#pragma once

#include <deque>

#include "viewer/core/view_state.h"

namespace stepscope {

class ViewHistory {
 public:
  static constexpr size_t kMost = 200;        // the oldest are forgotten
  static constexpr double kOneGesture = 0.7;  // seconds between changes that belong together

  // What of a view is brought back: all but what tables show bright and how often something was
  // revealed. O(folded tracks)
  static ViewState PlaceOf(const ViewState& view);
  // Commands have made `now` of `before` (both from PlaceOf), `seconds` after some fixed time.
  void Note(const ViewState& before, const ViewState& now, double seconds);
  // Goes back or forward; false if there is nothing. What was closed meanwhile stays closed.
  bool Back(ViewState* view);
  bool Forward(ViewState* view);
  bool CanGoBack() const { return !back_.empty(); }
  bool CanGoForward() const { return !forward_.empty(); }

 private:
  std::deque<ViewState> back_, forward_;
  double last_ = 0;        // when a view was last noted
  bool gesture_ = false;   // the last change was one of the visible part only
  bool restored_ = false;  // the next change was made by Back or Forward
};

}  // namespace stepscope
