// Commands about what is shown in the window: its tracks, theme, size and layout.
#include <string>
#include <utility>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope::commands {
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
void SetTheme(C& c, const A& a) { SetSetting(RowOf(&Settings::theme), a.text, &c.settings); }
void DesktopTheme(C& c, const A& a) { c.windows.light_desktop = a.text == "light"; }
void TallPanels(C& c, const A&) { Request(c, SwitchTallPanels()); }
void Fullscreen(C& c, const A&) { c.services.ToggleFullscreen(); }
void SetScale(C& c, double scale) {
  SetSetting(RowOf(&Settings::scale), std::to_string(scale), &c.settings);
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

}  // namespace stepscope::commands
