// Commands of the program: settings, help, palette, notes and pictures.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
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

}  // namespace stepscope::commands
