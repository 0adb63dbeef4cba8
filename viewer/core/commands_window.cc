// Commands about the window: what is shown in it, its theme and size, panels, help and settings.
#include <string>

#include "viewer/core/command_actions.h"
#include "viewer/core/context.h"
#include "viewer/core/panel.h"
#include "viewer/core/theme.h"

namespace stepscope::actions {
namespace {

using C = ViewerContext;
using A = CommandArgs;

void SwitchLanes(C& c, const char* key, const char* what) {
  const bool show = !c.settings.Bool(key);
  c.settings.Set(key, show ? "true" : "false");
  Say(c, what + std::string(show ? " of GPUs shown" : " of GPUs hidden"));
}

}  // namespace

void PythonFrames(C& c, const A&) {
  const bool show = !c.settings.Bool("timeline.python_frames");
  c.settings.Set("timeline.python_frames", show ? "true" : "false");
  Say(c, show ? "Python frames shown" : "Python frames hidden");
}
void DerivedLanes(C& c, const A&) {
  SwitchLanes(c, "timeline.derived_lanes", "Idle time and utilisation");
}
void WaitingLanes(C& c, const A&) {
  SwitchLanes(c, "timeline.waiting_lanes", "Queue, launch delay and memory");
}
void SwitchDefinitions(C& c, const A&) {
  const bool xprof = DefinitionsOf(c.settings) != Definitions::kXprof;
  c.settings.Set("definitions", xprof ? "XProf" : "Stepscope");
  Say(c, xprof ? "Computed as XProf does" : "Computed by Stepscope's definitions");
}
void NextTheme(C& c, const A&) {
  const auto names = ThemeNames();
  const auto i = static_cast<size_t>(ThemeFromName(c.settings.Get("theme")));
  // The button flips between dark and light; the others are chosen on the settings page.
  c.settings.Set("theme", names[i == 1 ? 0 : 1]);
}
void SetTheme(C& c, const A& a) { c.settings.Set("theme", a.text); }
void TallPanels(C& c, const A&) { c.windows.switch_tall = true; }
void Fullscreen(C& c, const A&) { c.services.ToggleFullscreen(); }
void LargerText(C& c, const A&) {
  c.settings.Set("scale", std::to_string(c.settings.Real("scale") + 0.1));
}
void SmallerText(C& c, const A&) {
  c.settings.Set("scale", std::to_string(c.settings.Real("scale") - 0.1));
}
void NormalText(C& c, const A&) { c.settings.Set("scale", "1"); }
void ShowNote(C& c, const A& a) { Say(c, a.text); }

// --- Window and help
void ShowPanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(PanelOf(a.text));
  if (panel == nullptr || (a.run.valid() && c.RunOf(a.run) == nullptr)) return;
  const PanelKey key{panel->id, a.run};
  if (a.run.valid()) {
    c.windows.pinned.insert(key);
  } else {
    c.windows.panels[panel->id] = true;
  }
  c.windows.focus_panel = key;
  c.view.panel = a.text;
  c.view.panel_run = a.run;
}
// A second window of a panel, for a run that it stays with.
void DuplicatePanel(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  A shown;
  shown.text = a.text.empty() ? c.view.panel : a.text;
  if (run == nullptr || FindPanel(PanelOf(shown.text)) == nullptr) return;
  shown.run = run->id;
  ShowPanel(c, shown);
}
void TogglePanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(a.text);
  if (panel == nullptr) return;
  const PanelKey key{panel->id, a.run};
  if (a.run.valid()) {
    if (c.windows.pinned.erase(key) == 0) ShowPanel(c, a);
    return;
  }
  const auto [it, inserted] = c.windows.panels.try_emplace(a.text, panel->open_by_default);
  it->second = !it->second;
  if (it->second) c.windows.focus_panel = key;
}
void ToggleHelp(C& c, const A&) { c.windows.help = !c.windows.help; }
// With a setting's key: opens the page at it.
void ToggleSettings(C& c, const A& a) {
  c.windows.settings = !c.windows.settings || !a.text.empty();
  c.windows.setting = a.text;
}
void TogglePalette(C& c, const A& a) {
  c.windows.palette = !c.windows.palette;
  c.windows.typed = a.text;
}
void ChangeSetting(C& c, const A& a) {
  const size_t equals = a.text.find('=');
  if (equals == std::string::npos) return;
  const std::string_view key = std::string_view(a.text).substr(0, equals);
  c.settings.Set(key, std::string_view(a.text).substr(equals + 1));
  if (key == "timeline.tracks") FoldByRules(c);
}

}  // namespace stepscope::actions
