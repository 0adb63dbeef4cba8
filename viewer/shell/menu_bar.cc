// The menu bar: menus from the command table, the selectors of profile, run and host, the search
// box, and buttons for theme and help.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/digits.h"
#include "viewer/core/state/settings.h"
#include "viewer/shell/panel_windows.h"
#include "viewer/shell/shell.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr const char* kMenus[] = {"File", "View", "Go", "Tools", "Window", "Help"};

void DrawCommandItem(const ShellInput& input, const CommandDesc& command) {
  const std::string key = FirstKey(KeysOf(input.panel, command));
  const bool on = command.on != nullptr && command.on(input.context);
  if (ImGui::MenuItem(command.title, key.c_str(), on, command.enabled(input.context))) {
    input.panel.commands.Push(command.id);
  }
  ImGui::SetItemTooltip("%s", command.what);
}

// A menu groups its commands by the first part of their ids. These commands begin a group as well.
constexpr CommandId kBreaks[] = {"file.capture",    "file.close",        "file.export_png",
                                 "file.quit",       "view.collapse_all", "view.python_frames",
                                 "view.next_theme", "view.back",         "select.parent"};

bool BeginsGroup(const CommandDesc& before, const CommandDesc& command) {
  const auto group = [](const CommandDesc& c) {
    return std::string_view(c.id).substr(0, std::string_view(c.id).find('.'));
  };
  // The commands "track." stand among those of "view.".
  const bool tracks = group(before) == "track" || group(command) == "track";
  return (group(before) != group(command) && !tracks) ||
         std::count(std::begin(kBreaks), std::end(kBreaks), command.id) > 0;
}

// The commands of a menu; those that compare two profiles come last.
std::vector<const CommandDesc*> CommandsOf(std::string_view menu) {
  std::vector<const CommandDesc*> out;
  for (const CommandDesc& command : Commands())
    if (command.category == menu) out.push_back(&command);
  std::stable_partition(out.begin(), out.end(), [](const CommandDesc* command) {
    return !std::string_view(command->id).starts_with("compare.");
  });
  return out;
}

void DrawRecentMenu(const ShellInput& input) {
  const auto& recent = input.panel.session.recent;
  if (recent.empty() || !ImGui::BeginMenu("Recent")) return;
  for (const RecentProfile& profile : recent) {
    if (ImGui::MenuItem(ItemLabel(profile.path).c_str(), nullptr, false, profile.exists))
      input.panel.commands.Push("file.open", {.text = profile.path});
  }
  ImGui::EndMenu();
}

bool IsOffered(const PanelDesc& panel, const Profile* profile) {
  if (profile != nullptr && !Means(panel, *profile)) return false;
  return panel.offered == nullptr || (profile != nullptr && panel.offered(*profile));
}

void DrawPanelItems(const ShellInput& input) {
  for (const PanelDesc& panel : Panels()) {
    const auto found = input.windows.panels.find(std::string_view(panel.id));
    const bool open = found != input.windows.panels.end() ? found->second : panel.open_by_default;
    const bool means = input.panel.profile == nullptr || Means(panel, *input.panel.profile);
    if (!means || (!open && !IsOffered(panel, input.panel.profile))) continue;
    if (ImGui::MenuItem(panel.title, panel.key, open))
      input.panel.commands.Push("panel.toggle", {.text = panel.id});
    ImGui::SetItemTooltip("%s", panel.what);
  }
  const Profile* profile = input.panel.profile;
  if (ImGui::BeginMenu("Pin to this profile", profile != nullptr)) {
    for (const PanelDesc& panel : Panels()) {
      if (!IsOffered(panel, profile)) continue;
      const PanelKey key{panel.id, profile != nullptr ? profile->id : ProfileId()};
      if (!ImGui::MenuItem(panel.title, nullptr, input.windows.pinned.contains(key))) continue;
      input.panel.commands.Push("panel.toggle", {.text = panel.id, .profile = key.profile});
    }
    ImGui::EndMenu();
  }
  ImGui::Separator();
}

// Whether a window is a menu or one of its submenus.
bool IsWithin(const ImGuiWindow* window, const ImGuiWindow* menu) {
  while (window != nullptr && window != menu) window = window->ParentWindow;
  return window != nullptr;
}

// The menu that an arrow key opens: the neighbour of the open one, unless the key moves within it
// or its submenus; -1: none.
int NextMenu(int at) {
  constexpr int kCount = static_cast<int>(std::size(kMenus));
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  // In a menu opened by the mouse no entry has the keyboard yet.
  const bool innermost = g.OpenPopupStack.Size <= g.BeginPopupStack.Size;
  if (innermost && !g.NavCursorVisible) {
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) return (at + 1) % kCount;
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) return (at + kCount - 1) % kCount;
  }
  const bool sideways = g.NavMoveDir == ImGuiDir_Left || g.NavMoveDir == ImGuiDir_Right;
  if (!sideways || !IsWithin(g.NavWindow, g.CurrentWindow) ||
      !ImGui::NavMoveRequestButNoResultYet())
    return -1;
  ImGui::NavMoveRequestCancel();
  return (at + (g.NavMoveDir == ImGuiDir_Right ? 1 : kCount - 1)) % kCount;
}

// Opens the first menu with its first entry chosen, or closes the open one.
void ToggleByKeyboard(MenuBarState* state) {
  if (state->open) {
    ImGui::ClosePopupToLevel(0, true);
    return;
  }
  state->open_next = 0;
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui::SetNavCursorVisible(true);
}

void DrawMenus(const ShellInput& input, MenuBarState* state) {
  if (std::exchange(state->toggle, false)) ToggleByKeyboard(state);
  if (state->open_next >= 0) ImGui::OpenPopup(kMenus[state->open_next]);
  state->open_next = -1;
  state->open = false;
  for (int i = 0; i < static_cast<int>(std::size(kMenus)); ++i) {
    const char* menu = kMenus[i];
    if (!ImGui::BeginMenu(menu)) continue;
    state->open = true;
    if (std::strcmp(menu, "Window") == 0) DrawPanelItems(input);
    const CommandDesc* before = nullptr;
    for (const CommandDesc* command : CommandsOf(menu)) {
      if (command->hides && !command->enabled(input.context)) continue;
      if (before != nullptr && BeginsGroup(*before, *command)) ImGui::Separator();
      DrawCommandItem(input, *command);
      if (command->id == "file.open_folder") DrawRecentMenu(input);
      before = command;
    }
    if (const int next = NextMenu(i); next >= 0) state->open_next = next;
    ImGui::EndMenu();
  }
}

// Centres the next button or box, which is lower than the bar, on the base line of the menus.
void CentreInBar() {
  ImGuiWindow* window = ImGui::GetCurrentWindow();
  const float height = window->MenuBarRect().GetHeight();
  ImGui::SetCursorPosY(std::floor((height - ImGui::GetFrameHeight()) / 2));
  window->DC.CurrLineTextBaseOffset = ImGui::GetStyle().FramePadding.y;
}

// A box that shows `shown` and offers the names; returns the index of the one chosen in this frame.
std::optional<size_t> DrawSelector(const char* id, const std::string& shown,
                                   const std::vector<std::string>& names, size_t current) {
  const float unit = ImGui::GetFontSize();
  std::optional<size_t> chosen;
  CentreInBar();
  ImGui::SetNextItemWidth(std::min(unit * 18, TextWidth(shown) + unit * 3));
  if (!ImGui::BeginCombo(id, ItemLabel(shown).c_str(), ImGuiComboFlags_HeightLarge)) return chosen;
  for (size_t i = 0; i < names.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(ItemLabel(names[i]).c_str(), i == current)) chosen = i;
    ImGui::PopID();
  }
  ImGui::EndCombo();
  return chosen;
}

size_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void DrawName(const std::string& name, const std::string& path) {
  CentreInBar();
  ImGui::TextDisabled("%s", name.c_str());
  ImGui::SetItemTooltip("%s", path.c_str());
}

void DrawRunSelectors(const ShellInput& input) {
  const std::span<const Profile> profiles = input.panel.profiles;
  const Profile* profile = input.panel.profile;
  if (profile == nullptr) return;
  CommandQueue& commands = input.panel.commands;
  if (profiles.size() > 1) {
    std::vector<std::string> labels;
    for (const Profile& other : profiles) labels.push_back(other.label);
    const auto current = static_cast<size_t>(profile - profiles.data());
    if (const auto chosen = DrawSelector("##profile", profile->label, labels, current))
      commands.Push("run.activate", {.profile = profiles[*chosen].id});
    ImGui::SetItemTooltip("Chooses which open profile the panels show");
  }
  // With several profiles the box before this one says the name.
  const std::string& run = profile->trace->run;
  const std::string& name = profiles.size() > 1 && !run.empty() ? run : profile->label;
  if (profile->runs.size() > 1) {
    if (const auto chosen = DrawSelector("##run", name, profile->runs, IndexOf(profile->runs, run)))
      commands.Push("run.choose", {.text = profile->runs[*chosen]});
    ImGui::SetItemTooltip("Run: %s", run.c_str());
  } else {
    // The run of a single file is its name, which the box says already.
    const bool said = profiles.size() > 1 && profile->label.find(run) != std::string::npos;
    if (!said) DrawName(name, profile->trace->path);
  }
  if (profile->trace->hosts.size() < 2) return;
  std::vector<std::string> hosts{"All hosts"};
  for (uint32_t h = 0; h < profile->trace->hosts.size(); ++h)
    hosts.emplace_back(profile->trace->HostName(HostId(h)));
  const std::string host = input.panel.state != nullptr ? input.panel.state->host : "";
  const std::string& shown = host.empty() ? hosts[0] : host;
  if (const auto chosen = DrawSelector("##host", shown, hosts, IndexOf(hosts, shown)))
    commands.Push("host.choose", {.text = *chosen == 0 ? "" : hosts[*chosen]});
  ImGui::SetItemTooltip("Host");
}

void DrawHitCount(const ShellInput& input, const Pen& pen, float right, float y) {
  const SearchHits& hits = input.search.hits();
  if (input.search.query().empty()) return;
  std::string text;
  if (input.search.busy()) {
    text = kEllipsis;
  } else if (!hits.error.empty()) {
    text = "not a query";
  } else if (hits.count == 0) {
    text = "none";
  } else {
    text = GroupDigits(input.search.index() + 1) + " / " + GroupDigits(hits.count);
  }
  const Role role = !input.search.busy() && hits.count == 0 ? Role::kWarning : Role::kText2;
  pen.TextRight(pen.fonts.mono, 12, right, y, pen.theme[role], text);
}

void DrawSearch(const ShellInput& input, TextBox* box, float right) {
  const Pen pen = MakePen(input.panel.theme, input.panel.fonts);
  const float left = std::max(ImGui::GetCursorScreenPos().x + pen.Px(12), right - pen.Px(420));
  const float width = right - left;
  if (width < pen.Px(90)) {
    box->waiting = false;
    return;
  }
  ImGui::SameLine();
  CentreInBar();
  ImGui::SetCursorScreenPos({left, ImGui::GetCursorScreenPos().y});
  // Something else may have changed the search (Escape): follow it unless the user is typing.
  const bool had = ImGui::GetActiveID() == ImGui::GetID("##search");
  if (!had && !box->waiting) box->text = input.search.query();
  const std::string before = box->text;
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::PushStyleVarX(ImGuiStyleVar_FramePadding, pen.fonts.icons ? pen.Px(28) : pen.Px(8));
  const char* hint = "Search events, or type > for a command";
  if (ImGui::CalcTextSize(hint).x > width - pen.Px(62)) hint = "Search, > command";
  bool changed = box->Draw("##search", hint);
  ImGui::PopStyleVar(2);
  if (const std::string& error = input.search.hits().error; !error.empty()) {
    ImGui::SetItemTooltip("%s", error.c_str());
  } else if (!ImGui::IsItemActive()) {
    ImGui::SetItemTooltip(
        "text: names that contain it   =text: the whole name   -term: not\n"
        "track:   process:   cat:   dur>1ms   arg.KEY=VALUE   all must hold\n"
        "Enter goes to the first event found, Enter and Shift+Enter on; Escape: back to the "
        "timeline");
  }
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  const float y = a.y + std::floor((b.y - a.y - pen.Px(12)) / 2);
  if (pen.fonts.icons)
    pen.Text(pen.fonts.ui, TypeSize::kSmall, a.x + pen.Px(9), y, pen.theme[Role::kText2],
             icon::kSearch);
  if (box->text.empty()) {
    pen.Box(b.x - pen.Px(26), a.y + pen.Px(4), pen.Px(18), b.y - a.y - pen.Px(8),
            pen.theme[Role::kHover], pen.Px(3));
    pen.Text(pen.fonts.mono, 12, b.x - pen.Px(20), y, pen.theme[Role::kText2], "/");
  }
  DrawHitCount(input, pen, b.x - pen.Px(10), y);
  const bool left_box = ImGui::IsItemDeactivated();
  const bool escape = left_box && ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (escape) {  // the typed text stays; Escape on the timeline clears it
    box->text = before;
    changed = false;
  }
  CommandArgs args;
  if (changed && box->text.starts_with('>')) {
    args.text = box->text.substr(1);
    box->text.clear();
    box->waiting = false;
    ImGui::ClearActiveID();
    input.panel.commands.Push("app.palette", std::move(args));
    return;
  }
  if (changed) {
    args.text = box->text;
    input.panel.commands.Push("search.set", std::move(args));
  }
  const bool enter = left_box && ImGui::IsKeyPressed(ImGuiKey_Enter);
  if (enter)
    input.panel.commands.Push(ImGui::GetIO().KeyShift ? CommandId("search.previous")
                                                      : CommandId("search.next"));
  if (enter || escape) ImGui::SetWindowFocus(kTimelineWindow);
}

void DrawMark(const Pen& pen, float x, float y) {
  pen.Box(x, y, pen.Px(10), pen.Px(4), pen.theme[Kind::kDeviceCompute], 1);
  pen.Box(x + pen.Px(4), y + pen.Px(6), pen.Px(14), pen.Px(4), pen.theme[Kind::kCollective], 1);
  pen.Box(x + pen.Px(1), y + pen.Px(12), pen.Px(8), pen.Px(4), pen.theme[Kind::kHostCompute], 1);
}

}  // namespace

void DrawMenuBar(const ShellInput& input, MenuBarState* state) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ScaledSize(8), ScaledSize(11)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);  // the bar's own colour covers all of it
  const bool open = ImGui::BeginMainMenuBar();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (!open) return;
  const Pen pen = MakePen(input.panel.theme, input.panel.fonts);
  const ImVec2 origin = ImGui::GetWindowPos();
  const float width = ImGui::GetWindowWidth();
  DrawMark(pen, origin.x + pen.Px(12), origin.y + pen.Px(11));
  ImGui::SetCursorPosX(pen.Px(40));
  DrawMenus(input, state);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  pen.VLine(p.x + pen.Px(4), origin.y + pen.Px(10), origin.y + pen.Px(28), pen.theme[Role::kLine]);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(14));
  CentreInBar();
  const std::string open_label = pen.fonts.icons ? std::string(icon::kOpen) + "  Open" : "Open";
  if (ImGui::Button(open_label.c_str())) input.panel.commands.Push("file.open_folder");
  ImGui::SetItemTooltip("Open a log directory or a file (Ctrl+Shift+O, Ctrl+O)");
  DrawRunSelectors(input);
  const float right = origin.x + width - pen.Px(12);
  const float button = pen.Px(28);
  if (input.panel.profile != nullptr) {
    DrawSearch(input, &state->search, right - 2 * button - pen.Px(12));
  } else {
    state->search.waiting = false;
  }
  const bool light = input.panel.theme.light();
  ImGui::SetCursorScreenPos({right - 2 * button, origin.y + pen.Px(5)});
  if (IconButton("##theme", light ? icon::kMoon : icon::kSun, light ? "D" : "L", "Dark or light",
                 false, pen.fonts, pen.theme, button)) {
    input.panel.commands.Push("view.next_theme");
  }
  ImGui::SetCursorScreenPos({right - button, origin.y + pen.Px(5)});
  if (IconButton("##help", icon::kHelp, "?", "Keys and commands (?)", input.windows.help, pen.fonts,
                 pen.theme, button)) {
    input.panel.commands.Push("app.help");
  }
  ImGui::EndMainMenuBar();
}

}  // namespace stepscope
