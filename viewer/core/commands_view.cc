// Commands that move the view by steps: pan, zoom and scroll, a little and a lot. A command's
// number is how many steps; a key that is held down takes more and more of them.
#include <algorithm>
#include <cmath>

#include "viewer/core/command_actions.h"
#include "viewer/core/time_axis.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

void ZoomBy(C& c, double factor) {
  const TimeRange range = c.Visible();
  if (range.empty()) return;
  const Ps middle = range.begin + range.length() / 2;
  const bool inside = c.timeline.cursor_valid && range.Contains(c.timeline.cursor);
  c.SetVisible(ZoomRange(range, factor, inside ? c.timeline.cursor : middle, 10, kMaxPs));
}
// Steps of one press; 0: one. A key that is held zooms no faster than it repeats.
double StepsOf(const A& a) { return a.number > 0 ? std::min(a.number, 100.0) : 1; }
double ZoomSteps(const A& a) { return std::min(1.0, StepsOf(a)); }
constexpr double kZoomStep = 1.6, kPanStep = 0.12, kFine = 0.25, kCoarse = 4;
void PanBy(C& c, double share) {
  const TimeRange range = c.Visible();
  const double by = static_cast<double>(range.length()) * share;
  c.SetVisible(ShiftRange(range, static_cast<Ps>(std::llround(by))));
}
double Scrolled(double from, double by, double content, double rows) {
  return std::clamp(std::round(from + by), 0.0, std::max(0.0, content - rows));
}
// The list of all runs, or the rows of one where each has its own.
void ScrollBy(C& c, const A& a, double px) {
  const TimelineFeedback& shown = c.timeline;
  if (shown.areas.empty()) {
    c.view.scroll_y = Scrolled(c.view.scroll_y, px, shown.content_height, shown.rows_height);
    return;
  }
  RunState* state = c.StateOf(a.run);
  for (const TimelineFeedback::Area& area : shown.areas) {
    if (state != nullptr && area.run == state->run)
      state->scroll_y = Scrolled(state->scroll_y, px, area.content_height, area.rows_height);
  }
}
void ScrollRows(C& c, const A& a, double rows) {
  ScrollBy(c, a, rows * static_cast<double>(c.timeline.row));
}

}  // namespace

void ZoomIn(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, -ZoomSteps(a))); }
void ZoomOut(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, ZoomSteps(a))); }
void ZoomInFine(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, -kFine * ZoomSteps(a))); }
void ZoomOutFine(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, kFine * ZoomSteps(a))); }
void ZoomInCoarse(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, -kCoarse * ZoomSteps(a))); }
void ZoomOutCoarse(C& c, const A& a) { ZoomBy(c, std::pow(kZoomStep, kCoarse * ZoomSteps(a))); }
void PanLeft(C& c, const A& a) { PanBy(c, -kPanStep * StepsOf(a)); }
void PanRight(C& c, const A& a) { PanBy(c, kPanStep * StepsOf(a)); }
void PanLeftFine(C& c, const A& a) { PanBy(c, -kPanStep * kFine * StepsOf(a)); }
void PanRightFine(C& c, const A& a) { PanBy(c, kPanStep * kFine * StepsOf(a)); }
void PanLeftCoarse(C& c, const A& a) { PanBy(c, -kPanStep * kCoarse * StepsOf(a)); }
void PanRightCoarse(C& c, const A& a) { PanBy(c, kPanStep * kCoarse * StepsOf(a)); }
void ScrollUp(C& c, const A& a) { ScrollRows(c, a, -3.0 * StepsOf(a)); }
void ScrollDown(C& c, const A& a) { ScrollRows(c, a, 3.0 * StepsOf(a)); }
void PageUp(C& c, const A& a) { ScrollBy(c, a, -0.85 * c.timeline.rows_height); }
void PageDown(C& c, const A& a) { ScrollBy(c, a, 0.85 * c.timeline.rows_height); }
void Scroll(C& c, const A& a) { ScrollBy(c, a, a.number); }

}  // namespace stepscope::actions
