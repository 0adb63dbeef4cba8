// Commands of panels.

#include "viewer/core/commands/command_table.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope::commands {
namespace {

void ShowPanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(PanelOf(a.text));
  if (panel == nullptr || (a.profile.valid() && c.ProfileOf(a.profile) == nullptr)) return;
  const PanelKey key{panel->id, a.profile};
  if (a.profile.valid()) {
    c.windows.pinned.insert(key);
  } else {
    c.windows.panels[panel->id] = true;
  }
  Request(c, FocusPanel{key});
  c.view.panel = a.text;
  c.view.panel_profile = a.profile;
  ++c.view.panel_asked;
}
void ShowStacks(C& c, const A& a) {
  A panel = a;
  panel.text = "selection/stacks";
  ShowPanel(c, panel);
}
// Opens a second window of a panel, pinned to the profile.
void DuplicatePanel(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  A shown;
  shown.text = a.text.empty() ? c.view.panel : a.text;
  if (profile == nullptr || FindPanel(PanelOf(shown.text)) == nullptr) return;
  shown.profile = profile->id;
  ShowPanel(c, shown);
}
void TogglePanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(a.text);
  if (panel == nullptr) return;
  const PanelKey key{panel->id, a.profile};
  if (a.profile.valid()) {
    if (c.windows.pinned.erase(key) == 0) ShowPanel(c, a);
    return;
  }
  const auto [it, inserted] = c.windows.panels.try_emplace(a.text, panel->open_by_default);
  it->second = !it->second;
  if (it->second) Request(c, FocusPanel{key});
}

constexpr CommandDesc kPanel[] = {
    {"panel.show", "Show panel", "",
     "Opens a panel and brings it to the front; memory/lifetimes names one of its pages.", "", "",
     Always, ShowPanel},
    {"panel.toggle", "Open or close panel", "", "Opens or closes a panel.", "", "", Always,
     TogglePanel},
    {"panel.stacks", "Flame graph", "Go",
     "Shows the stacks of what is selected, measured or in view: flame graph, top-down, bottom-up.",
     "callers callees icicle call tree python", "", HasEvents, ShowStacks},
    {"panel.duplicate", "Pin panel to this profile", "",
     "Opens the panel once more for this profile; it keeps showing it when another is active.",
     "second copy window", "", HasProfile, DuplicatePanel},
};

}  // namespace

std::span<const CommandDesc> PanelCommands() { return kPanel; }

}  // namespace stepscope::commands
