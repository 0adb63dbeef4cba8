// The list of all commands, put together from the tables beside their functions, and what these
// tables share. Commands of the program and of panels: settings, help, palette, notes, pictures.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope::commands {
namespace {

std::vector<CommandDesc> JoinTables() {
  std::vector<CommandDesc> out;
  for (CommandTable* table :
       {OpenCommands,   CaptureCommands,   CompareCommands, FileCommands,     ProfileCommands,
        ViewCommands,   TrackCommands,     WindowCommands,  FineViewCommands, HistoryCommands,
        FilterCommands, PathCommands,      MarkerCommands,  ToolCommands,     SearchCommands,
        EventCommands,  SelectionCommands, StepCommands,    CopyCommands,     PanelCommands,
        AppCommands}) {
    const std::span<const CommandDesc> rows = table();
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

}  // namespace

bool Always(const C&) { return true; }
bool HasProfile(const C& c) { return c.ProfileOf() != nullptr; }
bool HasEvents(const C& c) { return HasProfile(c) && FleetOf(*c.ProfileOf()->trace) == nullptr; }
bool HasSelection(const C& c) { return c.view.selected.valid(); }
bool HasShown(const C& c) { return !c.view.shown.empty(); }
bool HasHits(const C& c) { return c.search.hits().count > 0; }
bool HasSteps(const C& c) { return HasProfile(c) && !c.ProfileOf()->Steps().empty(); }

void Request(C& c, WindowRequest request) { c.windows.requests.push_back(std::move(request)); }

void Say(C& c, std::string text) { Request(c, ShowNote{std::move(text)}); }

namespace {

bool HelpOn(const C& c) { return c.windows.help; }
void ToggleHelp(C& c, const A&) { c.windows.help = !c.windows.help; }
bool SettingsOn(const C& c) { return c.windows.settings; }
// With the key of a setting the page opens at it.
void ToggleSettings(C& c, const A& a) {
  c.windows.settings = !c.windows.settings || !a.text.empty();
  c.windows.setting = FindSetting(a.text);
}
void TogglePalette(C& c, const A& a) {
  c.windows.palette = !c.windows.palette;
  if (c.windows.palette) Request(c, FocusPalette{a.text});
}
void OpenMenu(C& c, const A&) { Request(c, ToggleMenuBar()); }
void ChangeSetting(C& c, const A& a) {
  const size_t equals = std::min(a.text.find('='), a.text.size());
  const SettingDesc* row = FindSetting(a.text.substr(0, equals));
  if (row == nullptr || equals == a.text.size()) return;
  const std::string value = a.text.substr(equals + 1);
  if (row->member == SettingMember(&Settings::peaks)) {
    const Status read = ParseOwnPeaks(value).status();
    if (!read.ok()) return Say(c, "Peaks of devices: " + read.message());
  }
  const bool read = SetSetting(*row, value, &c.settings);
  if (read && row->member == SettingMember(&Settings::tracks)) FoldByRules(c);
}

void SayText(C& c, const A& a) { Say(c, a.text); }
// "name.png x y width height"
void SavePicture(C& c, const A& a) {
  if (std::optional<PictureRequest> picture = ParsePicture(a.text)) Request(c, *std::move(picture));
}

bool AgentsOn(const C& c) { return c.session.agents.allowed; }
void SwitchAgents(C& c, const A&) {
  const bool allow = !c.session.agents.allowed;
  const std::string why_not = c.services.AllowAgents(allow);
  if (!why_not.empty()) return Say(c, why_not);
  Say(c, allow ? "Agents may move this window" : "Agents may no longer move this window");
}

constexpr CommandDesc kApp[] = {
    {"app.agents", "Let agents move this window", "Tools",
     "Lets your programs, such as stepscope mcp, open profiles and move the view in this window; "
     "the status bar says which one did, and ends it.",
     "mcp assistant remote control socket drive", "", Always, SwitchAgents, AgentsOn},
    {"app.settings", "Settings", "Window", "Opens the settings: theme, scale, timeline, keys.",
     "preferences options", "Ctrl+,", Always, ToggleSettings, SettingsOn},
    {"app.set", "Change setting", "", "Changes a setting: key=value.", "", "", Always,
     ChangeSetting},
    {"app.save_picture", "Save picture", "", "Saves a part of the window: name x y width height.",
     "", "", Always, SavePicture},
    {"app.note", "Show a note", "", "Shows a text in the status bar.", "", "", Always, SayText},
    {"app.palette", "Command palette", "Help", "Finds and runs any command.", "search actions",
     "> | Ctrl+Shift+P", Always, TogglePalette},
    {"app.menu", "Menu bar", "Help",
     "Opens the menu bar for the keyboard, or closes it. A tap of Alt does the same.", "keyboard",
     "F10", Always, OpenMenu},
    {"app.help", "Keys and commands", "Help", "Lists all commands with their keys.",
     "shortcuts keyboard", "? | F1", Always, ToggleHelp, HelpOn},
};

}  // namespace

std::span<const CommandDesc> AppCommands() { return kApp; }

// Commands of panels.
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

namespace stepscope {

std::span<const CommandDesc> Commands() {
  static const std::vector<CommandDesc> all = commands::JoinTables();
  return all;
}

}  // namespace stepscope
