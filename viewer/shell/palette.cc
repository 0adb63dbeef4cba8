// The command palette, the list of keys and the settings page: all made from their tables.
#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/ascii.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/settings.h"
#include "viewer/shell/shell.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

// The title that is the query comes first, then titles that begin with it, then those that hold it.
int TitleScore(std::string_view query, std::string_view title) {
  const int score = 2 * FuzzyScore(query, title);
  const bool begins = title.size() >= query.size() &&
                      std::equal(query.begin(), query.end(), title.begin(),
                                 [](char a, char b) { return Lower(a) == Lower(b); });
  if (score == 0 || query.empty() || !begins) return score;
  return score + (title.size() == query.size() ? 100 : 10);
}

// A sentence must contain the query: its letters in order would match almost any sentence.
int SentenceScore(std::string_view query, std::string_view sentence) {
  const std::string lower = Lower(query);
  return !lower.empty() && ContainsLower(sentence, lower) ? 1 : 0;
}

void KeyText(const ShellInput& input, const std::string& keys) {
  ImGui::PushFont(input.panel.fonts.mono, TypeSize::kSmall);
  const float width = ImGui::CalcTextSize(keys.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  ImGui::TextDisabled("%s", keys.c_str());
  ImGui::PopFont();
}

std::string KeysOfEntry(const ShellInput& input, const PaletteEntry& entry) {
  const bool plain = *entry.text == 0;
  return std::string(plain ? KeysOf(input.panel, DescOf(entry.command)) : entry.keys);
}

// Begins a window over the workspace, with a border around it.
bool BeginFloating(const char* name, bool* open) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ScaledSize(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const bool shown = ImGui::Begin(
      name, open,
      ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  return shown;
}

// Draws the entries. Returns the one that was clicked, or null.
const PaletteEntry* DrawEntries(const ShellInput& input, const std::vector<PaletteEntry>& entries,
                                int selected, const std::string& typed) {
  const PaletteEntry* clicked = nullptr;
  if (ImGui::BeginChild("##list")) {
    for (size_t i = 0; i < entries.size(); ++i) {
      const PaletteEntry& entry = entries[i];
      const bool on = static_cast<int>(i) == selected;
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(entry.title, on)) clicked = &entry;
      if (on && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
      ImGui::SetItemTooltip("%s", entry.what);
      ImGui::SameLine();
      ImGui::TextDisabled("%s", entry.group);
      ImGui::SameLine();
      KeyText(input, KeysOfEntry(input, entry));
      ImGui::PopID();
    }
    if (entries.empty()) ImGui::TextDisabled("No command matches \"%s\".", typed.c_str());
  }
  ImGui::EndChild();
  return clicked;
}

// Draws the value of a setting. Each draws another type, and the last one a choice or a text.
void DrawValue(const ShellInput& input, const SettingDesc&, bool Settings::*member) {
  bool on = input.panel.settings.*member;
  if (ImGui::Checkbox("##value", &on)) input.panel.commands.PushSetting(member, on);
}

void DrawValue(const ShellInput& input, const SettingDesc& row, int Settings::*member) {
  int number = input.panel.settings.*member;
  if (ImGui::SliderInt("##value", &number, static_cast<int>(row.min), static_cast<int>(row.max)))
    input.panel.commands.PushSetting(member, number);
}

void DrawValue(const ShellInput& input, const SettingDesc& row, double Settings::*member) {
  auto number = static_cast<float>(input.panel.settings.*member);
  ImGui::SliderFloat("##value", &number, static_cast<float>(row.min), static_cast<float>(row.max),
                     "%.2f");
  // Takes effect when the slider is let go: a new scale would move it away from the mouse.
  if (ImGui::IsItemDeactivatedAfterEdit())
    input.panel.commands.PushSetting(member, static_cast<double>(number));
}

template <typename T>
void DrawValue(const ShellInput& input, const SettingDesc& row, T Settings::*) {
  const auto choices = ChoiceTexts(row.member);
  std::string text = SettingText(input.panel.settings, row.member);
  bool changed = false;
  if (choices.empty()) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 16);
    InputText("##text", "", &text);
    changed = ImGui::IsItemDeactivatedAfterEdit();
  } else if (ImGui::BeginCombo("##value", text.c_str())) {
    for (const char* choice : choices) {
      if (!ImGui::Selectable(choice, choice == text)) continue;
      text = choice;
      changed = true;
    }
    ImGui::EndCombo();
  }
  if (changed) input.panel.commands.Push("app.set", {.text = row.key + ("=" + text)});
}

void DrawSetting(const ShellInput& input, const SettingDesc& row) {
  ImGui::PushID(row.key);
  ImGui::TableNextRow();
  if (input.windows.setting == &row) {  // the palette led here
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, input.panel.theme[Role::kAccentBg]);
    if (ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
  }
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(row.label);
  ImGui::SetItemTooltip("%s", row.what);
  ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-1);
  std::visit([&](auto member) { DrawValue(input, row, member); }, row.member);
  ImGui::PopID();
}

}  // namespace

int FuzzyScore(std::string_view query, std::string_view text) {
  if (query.empty()) return 1;
  int score = 0;
  size_t at = 0;
  bool profile = false;
  for (char wanted : query) {
    const char q = Lower(wanted);
    if (q == ' ') {
      profile = false;
      continue;
    }
    size_t found = at;
    while (found < text.size() && Lower(text[found]) != q) ++found;
    if (found == text.size()) return 0;
    const bool word_start = found == 0 || text[found - 1] == ' ';
    score += 1 + (word_start ? 8 : 0) + (profile && found == at ? 4 : 0);
    profile = true;
    at = found + 1;
  }
  return score;
}

std::vector<PaletteEntry> FindEntries(std::string_view query, const ViewerContext& context) {
  std::vector<PaletteEntry> out;
  const auto add = [&](PaletteEntry entry, std::string_view words) {
    entry.score = std::max({TitleScore(query, entry.title), FuzzyScore(query, words),
                            SentenceScore(query, entry.what)});
    if (entry.score > 0) out.push_back(entry);
  };
  for (const CommandDesc& c : Commands()) {
    if (c.category[0] == 0 || !c.enabled(context)) continue;
    add({c.title, c.category, c.what, c.keys, c.id, ""}, c.words);
  }
  for (const PanelDesc& p : Panels())
    add({p.title, "Panel", p.what, p.key, "panel.show", p.id}, "panel");
  for (const SettingDesc& s : SettingRows()) {
    if (s.page[0] != 0) add({s.label, "Setting", s.what, "", "app.settings", s.key}, "settings");
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const PaletteEntry& a, const PaletteEntry& b) { return a.score > b.score; });
  return out;
}

void PaletteState::Open(const std::string& typed) {
  box = {};
  box.Focus(typed, true);
  selected = 0;
  opening = true;
}

void DrawPalette(const ShellInput& input, PaletteState* state) {
  const bool opening = std::exchange(state->opening, false);
  if (!input.windows.palette) return;
  if (opening) ImGui::SetNextWindowFocus();
  PlaceBelowMenu(40);
  const float height = ImGui::GetMainViewport()->WorkSize.y * 0.7f;
  ImGui::SetNextWindowSize({RaisedWidth(560), std::min(height, ScaledSize(440))});
  const RaisedStyle raised(input.panel.theme);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, input.panel.theme[Role::kPanel]);
  if (ImGui::Begin("##palette", nullptr, kRaisedFlags)) {
    ImGui::SetNextItemWidth(-1);
    if (state->box.Draw("##query", "Search for a command, panel or setting")) state->selected = 0;
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter);
    const std::vector<PaletteEntry> matches = FindEntries(state->box.text, input.context);
    const int last = static_cast<int>(matches.size()) - 1;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++state->selected;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --state->selected;
    state->selected = std::clamp(state->selected, 0, std::max(0, last));
    const PaletteEntry* profile = DrawEntries(input, matches, state->selected, state->box.text);
    if (enter && !matches.empty()) profile = &matches[static_cast<size_t>(state->selected)];
    const bool away = !opening && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
    if (profile != nullptr || ImGui::IsKeyPressed(ImGuiKey_Escape) || away) {
      input.panel.commands.Push("app.palette");  // closes it
      CommandArgs args;
      if (profile != nullptr) args.text = profile->text;
      if (profile != nullptr && profile->command != "app.palette")
        input.panel.commands.Push(profile->command, std::move(args));
    }
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

namespace {

// Draws the row of a command, or of a panel as "panel.ID", with its keys.
void DrawHelpRow(const ShellInput& input, KeyEditor* keys, const char* id, const char* title,
                 const char* what) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(title);
  ImGui::TableNextColumn();
  ImGui::PushFont(input.panel.fonts.mono, TypeSize::kSmall);
  keys->DrawKeys(input.panel, id);
  ImGui::PopFont();
  ImGui::TableNextColumn();
  ImGui::PushID(id);
  ImGui::PushTextWrapPos(0);
  if (!keys->DrawQuestion(input.panel, id)) ImGui::TextDisabled("%s", what);
  ImGui::PopTextWrapPos();
  ImGui::PopID();
}

// The categories of commands that menus have, in the order of the table.
std::vector<std::string_view> Categories() {
  std::vector<std::string_view> categories;
  for (const CommandDesc& command : Commands()) {
    const std::string_view category = command.category;
    const bool known =
        std::find(categories.begin(), categories.end(), category) != categories.end();
    if (!category.empty() && !known) categories.push_back(category);
  }
  return categories;
}

// A command or panel in the list of keys.
struct HelpRow {
  std::string id;
  const char *title, *what;
};

// Draws a heading and those of its rows that are looked for; nothing if none is.
void DrawHelpPart(const ShellInput& input, KeyEditor* keys, const char* title,
                  std::vector<HelpRow> rows) {
  std::erase_if(rows, [&](const HelpRow& row) {
    return !keys->Finds(row.title, row.what, input.panel.keys.Of(row.id));
  });
  if (rows.empty()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
  SectionTitle(input.panel, title);
  for (const HelpRow& row : rows) DrawHelpRow(input, keys, row.id.c_str(), row.title, row.what);
}

}  // namespace

void DrawHelp(const ShellInput& input, KeyEditor* keys) {
  keys->NewFrame(input.panel, input.windows.help);
  if (!input.windows.help) return;
  bool open = true;
  const float unit = ImGui::GetFontSize();
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetWorkCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(viewport->WorkSize.x * 0.9f, unit * 58),
                            std::min(viewport->WorkSize.y * 0.85f, unit * 44)},
                           ImGuiCond_Appearing);
  if (BeginFloating("Keys and commands###help", &open)) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled(
        "Wheel scrolls the tracks; Ctrl with the wheel zooms at the mouse; Shift with the wheel "
        "pans. Over the time axis and the "
        "minimap the wheel zooms. Drag pans (tool 2); Shift and drag measures; double-click zooms "
        "to an event. Click a command's keys and press others to change them.");
    ImGui::PopTextWrapPos();
    keys->DrawFind();
    ImGui::SameLine();
    keys->DrawResetAll(input.panel);
    ImGui::NewLine();
    if (ImGui::BeginTable(
            "##keys", 3,
            ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) {
      ImGui::TableSetupColumn("command", ImGuiTableColumnFlags_WidthFixed, unit * 15);
      ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, unit * 12);
      ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
      for (const std::string_view category : Categories()) {
        std::vector<HelpRow> rows;
        for (const CommandDesc& command : Commands()) {
          if (command.category == category)
            rows.push_back({command.id.text(), command.title, command.what});
        }
        DrawHelpPart(input, keys, category.data(), std::move(rows));
      }
      std::vector<HelpRow> panels;
      for (const PanelDesc& panel : Panels())
        panels.push_back({"panel." + std::string(panel.id), panel.title, panel.what});
      DrawHelpPart(input, keys, "Panels", std::move(panels));
      ImGui::EndTable();
    }
  }
  ImGui::End();
  if (!open) input.panel.commands.Push("app.help");
}

void DrawSettings(const ShellInput& input) {
  if (!input.windows.settings) return;
  bool open = true;
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetWorkCenter(), ImGuiCond_Appearing,
                          {0.5f, 0.5f});
  ImGui::SetNextWindowSize({unit * 36, unit * 30}, ImGuiCond_Appearing);
  if (BeginFloating("Settings###settings", &open)) {
    const char* page = "";
    bool in_table = false;
    for (const SettingDesc& row : SettingRows()) {
      if (row.page[0] == 0) continue;
      if (std::strcmp(row.page, page) != 0) {
        if (in_table) ImGui::EndTable();
        page = row.page;
        ImGui::Dummy({0, unit * 0.3f});
        SectionTitle(input.panel, page);
        in_table = ImGui::BeginTable(page, 2, ImGuiTableFlags_SizingFixedFit);
        if (in_table) {
          ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, unit * 13);
          ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        }
      }
      if (in_table) DrawSetting(input, row);
    }
    if (in_table) ImGui::EndTable();
  }
  ImGui::End();
  if (!open) input.panel.commands.Push("app.settings");
}

}  // namespace stepscope
