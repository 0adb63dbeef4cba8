// Commands that move the view: pan, zoom and scroll by steps, a little and a lot; and show a range.
#include <algorithm>
#include <cmath>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/align_profiles.h"

namespace stepscope::commands {
namespace {

constexpr double kZoomStep = 1.6, kPanStep = 0.12;  // the factor, and the share of the view
constexpr int kFine = 1, kOne = 4, kCoarse = 16;    // quarters of a step

// A script may ask for any number of steps.
double StepsOf(const A& a) { return a.steps > 0 ? std::min(a.steps, 100.0) : 1; }

// Around the mouse, else the middle. A key that is held zooms no faster than it repeats.
template <int quarters>
void Zoom(C& c, const A& a) {
  const TimeRange range = c.Visible();
  if (range.empty()) return;
  const Ps middle = range.begin + range.length() / 2;
  const bool inside = c.timeline.cursor_valid && range.Contains(c.timeline.cursor);
  const double factor = std::pow(kZoomStep, quarters / 4.0 * std::min(1.0, StepsOf(a)));
  c.SetVisible(ZoomRange(range, factor, inside ? c.timeline.cursor : middle, 10, kMaxPs));
}

template <int quarters>
void Pan(C& c, const A& a) {
  const TimeRange range = c.Visible();
  const double share = kPanStep * (quarters / 4.0) * StepsOf(a);
  const double by = static_cast<double>(range.length()) * share;
  c.SetVisible(ShiftRange(range, static_cast<Ps>(std::llround(by))));
}

double Scrolled(double from, double by, double content, double rows) {
  return std::clamp(std::round(from + by), 0.0, std::max(0.0, content - rows));
}
// Scrolls the list of all profiles, or one profile where each has rows of its own.
void ScrollBy(C& c, const A& a, double px) {
  const TimelineFeedback& shown = c.timeline;
  if (shown.areas.empty()) {
    c.view.scroll_y = Scrolled(c.view.scroll_y, px, shown.content_height, shown.rows_height);
    return;
  }
  ProfileViewState* state = c.StateOf(a.profile);
  for (const TimelineFeedback::Area& area : shown.areas) {
    if (state != nullptr && area.profile == state->profile)
      state->scroll_y = Scrolled(state->scroll_y, px, area.content_height, area.rows_height);
  }
}
void ScrollRows(C& c, const A& a, double rows) {
  ScrollBy(c, a, rows * static_cast<double>(c.timeline.row));
}

void ScrollUp(C& c, const A& a) { ScrollRows(c, a, -3.0 * StepsOf(a)); }
void ScrollDown(C& c, const A& a) { ScrollRows(c, a, 3.0 * StepsOf(a)); }
void PageUp(C& c, const A& a) { ScrollBy(c, a, -0.85 * c.timeline.rows_height); }
void PageDown(C& c, const A& a) { ScrollBy(c, a, 0.85 * c.timeline.rows_height); }
void Scroll(C& c, const A& a) { ScrollBy(c, a, a.pixels); }

void ZoomSelection(C& c, const A& a) {
  const TimeRange range = c.RangeOf(c.view.selected);
  if (range.empty()) {
    c.ZoomTo(c.view.MeasuredIn(c.view.active), a.closer_only);
  } else {
    c.ZoomTo(range, a.closer_only, c.view.selected.trace);
  }
}
void ZoomAll(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  const bool both = FindComparedProfile(c.profiles, c.view) != nullptr;
  const TimeRange first = both ? TimeRange{} : profile->trace->first_view;
  // First the range shown at the start; the second time everything, stray events included.
  c.SetVisible(first.empty() || c.Visible(a.profile) == first ? c.Whole(a.profile) : first,
               a.profile);
}
void SetRange(C& c, const A& a) {
  if (!a.range.empty()) c.SetVisible(a.range, a.profile);
}

constexpr CommandDesc kView[] = {
    {"view.zoom_in", "Zoom in", "View", "Zooms in at the mouse.", "closer", "W | =", HasEvents,
     Zoom<-kOne>, nullptr, &A::steps},
    {"view.zoom_out", "Zoom out", "View", "Zooms out at the mouse.", "further", "S | -", HasEvents,
     Zoom<kOne>, nullptr, &A::steps},
    {"view.pan_left", "Pan left", "View", "Moves to earlier times.", "scroll earlier", "A | Left",
     HasEvents, Pan<-kOne>, nullptr, &A::steps},
    {"view.pan_right", "Pan right", "View", "Moves to later times.", "scroll later", "D | Right",
     HasEvents, Pan<kOne>, nullptr, &A::steps},
    {"view.scroll_up", "Scroll up", "View", "Scrolls the tracks up.", "", "Up", HasEvents, ScrollUp,
     nullptr, &A::steps},
    {"view.scroll_down", "Scroll down", "View", "Scrolls the tracks down.", "", "Down", HasEvents,
     ScrollDown, nullptr, &A::steps},
    {"view.page_up", "Page up", "View", "Scrolls up by a page.", "", "PageUp", HasEvents, PageUp},
    {"view.page_down", "Page down", "View", "Scrolls down by a page.", "", "PageDown", HasEvents,
     PageDown},
    {"view.scroll", "Scroll by pixels", "", "Scrolls the tracks by a number of pixels.", "", "",
     HasEvents, Scroll, nullptr, &A::pixels},
    {"view.zoom_selection", "Zoom to selection", "View",
     "Shows the selected event, or the measured range.", "focus fit event", "F", HasEvents,
     ZoomSelection, nullptr, &A::closer_only},
    {"view.zoom_all", "Whole trace", "View",
     "Shows the part in which devices work, and when called again the whole trace. While two "
     "profiles are compared, shows all of both.",
     "reset fit everything", "0", HasEvents, ZoomAll},
    {"view.set_range", "Show range", "", "Shows a range of time.", "", "", HasEvents, SetRange},
};

// Their category is no menu: help lists them, and keys call them.
constexpr CommandDesc kFineView[] = {
    {"view.pan_left_fine", "Pan left a little", "Fine and coarse",
     "Moves to earlier times, a quarter as far as Pan left.", "slow", "Shift+A", HasEvents,
     Pan<-kFine>, nullptr, &A::steps},
    {"view.pan_right_fine", "Pan right a little", "Fine and coarse",
     "Moves to later times, a quarter as far as Pan right.", "slow", "Shift+D", HasEvents,
     Pan<kFine>, nullptr, &A::steps},
    {"view.zoom_in_fine", "Zoom in a little", "Fine and coarse",
     "Zooms in at the mouse, a quarter as much as Zoom in.", "slow", "Shift+W", HasEvents,
     Zoom<-kFine>, nullptr, &A::steps},
    {"view.zoom_out_fine", "Zoom out a little", "Fine and coarse",
     "Zooms out at the mouse, a quarter as much as Zoom out.", "slow", "Shift+S", HasEvents,
     Zoom<kFine>, nullptr, &A::steps},
    {"view.pan_left_coarse", "Pan left a lot", "Fine and coarse",
     "Moves to earlier times, four times as far as Pan left.", "fast page", "Ctrl+Shift+A",
     HasEvents, Pan<-kCoarse>, nullptr, &A::steps},
    {"view.pan_right_coarse", "Pan right a lot", "Fine and coarse",
     "Moves to later times, four times as far as Pan right.", "fast page", "Ctrl+Shift+D",
     HasEvents, Pan<kCoarse>, nullptr, &A::steps},
    {"view.zoom_in_coarse", "Zoom in a lot", "Fine and coarse",
     "Zooms in at the mouse, four times as much as Zoom in.", "fast", "Ctrl+Shift+W", HasEvents,
     Zoom<-kCoarse>, nullptr, &A::steps},
    {"view.zoom_out_coarse", "Zoom out a lot", "Fine and coarse",
     "Zooms out at the mouse, four times as much as Zoom out.", "fast", "Ctrl+Shift+S", HasEvents,
     Zoom<kCoarse>, nullptr, &A::steps},
};

}  // namespace

std::span<const CommandDesc> ViewCommands() { return kView; }
std::span<const CommandDesc> FineViewCommands() { return kFineView; }

}  // namespace stepscope::commands
