// Commands that move the view: pan, zoom and scroll by steps, a little and a lot; and show a range.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"

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

// Commands about what is shown in the window: its tracks, theme, size and layout.
namespace {

void SwitchLanes(C& c, bool* shown, const char* what) {
  const bool show = *shown = !*shown;
  Say(c, what + std::string(show ? " of GPUs shown" : " of GPUs hidden"));
}

bool PythonFramesOn(const C& c) { return c.settings.python_frames; }
void PythonFrames(C& c, const A&) {
  const bool show = c.settings.python_frames = !c.settings.python_frames;
  Say(c, show ? "Python frames shown" : "Python frames hidden");
}
bool DerivedLanesOn(const C& c) { return c.settings.derived_lanes; }
void DerivedLanes(C& c, const A&) {
  SwitchLanes(c, &c.settings.derived_lanes, "Idle time and utilisation");
}
bool WaitingLanesOn(const C& c) { return c.settings.waiting_lanes; }
void WaitingLanes(C& c, const A&) {
  SwitchLanes(c, &c.settings.waiting_lanes, "Queue, launch delay and memory");
}
bool XprofOn(const C& c) { return c.settings.definitions == Definitions::kXprof; }
void SwitchDefinitions(C& c, const A&) {
  const bool xprof = !XprofOn(c);
  c.settings.definitions = xprof ? Definitions::kXprof : Definitions::kStepscope;
  Say(c, xprof ? "Computed as XProf does" : "Computed by Stepscope's definitions");
}
void NextTheme(C& c, const A&) {
  const bool light = ThemeOf(c.settings, c.windows) == ThemeKind::kLight;
  // The settings page chooses the other themes.
  c.settings.theme = light ? ThemeChoice::kDark : ThemeChoice::kLight;
}
void SetTheme(C& c, const A& a) {
  SetSetting(SettingDescOf(&Settings::theme), a.text, &c.settings);
}
void DesktopTheme(C& c, const A& a) { c.windows.light_desktop = a.text == "light"; }
void TallPanels(C& c, const A&) { Request(c, SwitchTallPanels()); }
void Fullscreen(C& c, const A&) { c.services.ToggleFullscreen(); }
void SetScale(C& c, double scale) {
  SetSetting(SettingDescOf(&Settings::scale), std::to_string(scale), &c.settings);
}
void LargerText(C& c, const A&) { SetScale(c, c.settings.scale + 0.1); }
void SmallerText(C& c, const A&) { SetScale(c, c.settings.scale - 0.1); }
void NormalText(C& c, const A&) { SetScale(c, 1); }
// Names and colours of tracks are no layout: they stay.
void RestoreLayout(C& c, const A&) {
  Request(c, ResetLayout());
  TrackArrangement fresh;
  fresh.tracks.names = c.settings.tracks.names;
  fresh.tracks.colors = c.settings.tracks.colors;
  fresh.profile_layout = c.settings.profile_layout;
  static_cast<TrackArrangement&>(c.settings) = std::move(fresh);
  for (ProfileViewState& state : c.view.profiles) state.ranks = RankLayout::kApart;
  FoldByRules(c);
}

constexpr CommandDesc kWindow[] = {
    {"view.python_frames", "Python frames", "View",
     "Shows or hides the frames of Python stacks on the timeline.",
     "hide show stack functions calls ops", "H", HasEvents, PythonFrames, PythonFramesOn},
    {"view.derived_lanes", "Idle time and utilisation", "View",
     "Shows or hides, below each device, why it is idle and how busy it is.",
     "hide show gaps lanes counters tracks busy", "", HasEvents, DerivedLanes, DerivedLanesOn},
    {"view.waiting_lanes", "Queue, launch delay and memory", "View",
     "Shows or hides, below each device, how many launches wait, for how long, and the memory "
     "in use.",
     "hide show lanes counters tracks allocator", "", HasEvents, WaitingLanes, WaitingLanesOn},
    {"view.definitions", "XProf's definitions", "View",
     "Computes every number as XProf 2.24.2 does, or by Stepscope's own definitions again.",
     "analyses numbers quirks compat rules", "", Always, SwitchDefinitions, XprofOn},
    {"view.next_theme", "Dark or light", "View", "Switches between dark and light.",
     "theme colours", "", Always, NextTheme},
    {"view.set_theme", "Choose theme", "",
     "Chooses the theme: system, dark, light, colour-blind or high contrast.", "", "", Always,
     SetTheme},
    {"view.desktop_theme", "Theme of the desktop", "",
     "Says whether the desktop is light or dark, for the theme \"system\".", "", "", Always,
     DesktopTheme},
    {"view.larger", "Larger text", "View", "Makes everything larger.", "scale size",
     "Ctrl+=", Always, LargerText},
    {"view.smaller", "Smaller text", "View", "Makes everything smaller.", "scale size", "Ctrl+-",
     Always, SmallerText},
    {"view.normal_size", "Normal text size", "View", "Restores the monitor's own scale.", "scale",
     "Ctrl+0", Always, NormalText},
    {"view.fullscreen", "Full screen", "View", "Fills the screen, or leaves it again.", "", "F11",
     Always, Fullscreen},
    {"view.tall_panels", "Tall panels", "View",
     "Gives the panels two thirds of the height, or gives most of it to the timeline.",
     "enlarge maximise larger split", "T", HasProfile, TallPanels},
    {"view.reset_layout", "Reset layout", "View",
     "Restores the first layout of panels and the first arrangement of tracks.", "docking windows",
     "", Always, RestoreLayout},
};

}  // namespace

std::span<const CommandDesc> WindowCommands() { return kWindow; }

// Commands that go back to earlier views, and views as text.
namespace {

bool CanGoBack(const C& c) { return c.history.CanGoBack(); }
bool CanGoForward(const C& c) { return c.history.CanGoForward(); }

// Says which tracks are hidden or shown now: what was said of the view before holds no longer.
void SayHidden(C& c, const TrackRules::Paths& before) {
  const TrackRules::Paths& now = c.settings.tracks.hidden;
  const auto say = [&](const char* what, const TrackRules::Paths& some,
                       const TrackRules::Paths& others) {
    for (const std::string& path : some) {
      if (!others.contains(path)) return Say(c, what + NameInPath(path));
    }
  };
  Say(c, {});
  say("Hidden: ", now, before);
  say("Shown again: ", before, now);
}

void GoBack(C& c, const A&) {
  const TrackRules::Paths before = c.settings.tracks.hidden;
  c.history.Back(&c.view, &c.settings);
  SayHidden(c, before);
}
void GoForward(C& c, const A&) {
  const TrackRules::Paths before = c.settings.tracks.hidden;
  c.history.Forward(&c.view, &c.settings);
  SayHidden(c, before);
}

// --- Views as text
void CopyViewToken(C& c, const A&) {
  const ProfileViewState* state = c.StateOf();
  if (state == nullptr) return;
  c.services.SetClipboard(TokenOf(c.view, *state));
  Say(c, "Copied. stepscope PATH --view TEXT opens this place");
}

void OpenViewToken(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  const std::optional<ViewPlace> place = ParseViewToken(a.text);
  if (state == nullptr) return;
  if (!place) {
    Say(c, "This text is no copied view");
    return;
  }
  state->host = place->host;
  state->recorded_clocks = place->recorded_clocks;
  state->ranks = place->ranks;
  if (!place->visible.empty()) c.SetVisible(place->visible, a.profile);
  c.view.measured = state->map.ToShared(place->measured);
  c.view.filters.clear();
  if (!place->filter.empty()) {
    c.view.filters.push_back(
        {state->map.ToShared(place->filter), FormatDuration(place->filter.length(), 4)});
  }
  c.view.scroll_y = place->scroll_y;
  EventRef event = place->selected;
  event.trace = state->profile;
  c.view.selected = c.Set(event) != nullptr ? event : EventRef{};
  if (!place->panel.empty()) {
    A panel;
    panel.text = place->panel;
    DescOf("panel.show").apply(c, panel);
  }
}

constexpr CommandDesc kHistory[] = {
    {"view.back", "Go back", "View", "Goes back to the view before this one.", "undo history",
     "Ctrl+Z | Alt+Left", CanGoBack, GoBack},
    {"view.forward", "Go forward", "View", "Goes forward again to the view that was left.",
     "redo history", "Ctrl+Shift+Z | Ctrl+Y | Alt+Right", CanGoForward, GoForward},
    {"view.copy_token", "Copy view", "View",
     "Copies a short text that opens this profile at the same place: stepscope PATH --view TEXT.",
     "token link share bookmark", "", HasEvents, CopyViewToken},
    {"view.open_token", "Go to view", "", "Goes to a view that was copied as text.", "", "",
     HasEvents, OpenViewToken},
};

}  // namespace

std::span<const CommandDesc> HistoryCommands() { return kHistory; }

// Commands of tools: which one the mouse has, and what is measured.
namespace {

template <Tool tool>
bool ToolIs(const C& c) {
  return c.view.tool == tool;
}

template <Tool tool>
void Choose(C& c, const A&) {
  c.view.tool = tool;
}

void SetMeasured(C& c, const A& a) { c.SetMeasured(a.range, a.profile); }
void MeasureSelection(C& c, const A&) {
  c.SetMeasured(c.RangeOf(c.view.selected), c.view.selected.trace);
}

constexpr CommandDesc kTool[] = {
    {"tool.select", "Select tool", "Tools", "Drag selects a box of events.", "pointer", "1", Always,
     Choose<Tool::kSelect>, ToolIs<Tool::kSelect>},
    {"tool.pan", "Pan tool", "Tools", "Drag moves the timeline.", "hand move", "2", Always,
     Choose<Tool::kPan>, ToolIs<Tool::kPan>},
    {"tool.zoom", "Zoom tool", "Tools", "Drag zooms to the range that it marks.", "magnify", "3",
     Always, Choose<Tool::kZoom>, ToolIs<Tool::kZoom>},
    {"tool.timing", "Timing tool", "Tools",
     "Drag measures a time; it snaps to the edges of events.", "measure ruler", "4", Always,
     Choose<Tool::kTiming>, ToolIs<Tool::kTiming>},
    {"measure.selection", "Measure selection", "Tools", "Measures the selected event.",
     "duration mark", "M", HasSelection, MeasureSelection},
    {"measure.set", "Measure range", "", "Sets or clears the measured range.", "", "", Always,
     SetMeasured},
};

}  // namespace

std::span<const CommandDesc> ToolCommands() { return kTool; }

}  // namespace stepscope::commands
