#include "viewer/shell/panel_windows.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string_view>

#include "model/allocator_history.h"
#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet.h"
#include "viewer/core/look/theme.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

// The menu that a right click on a panel's tab opens.
void DrawTabMenu(const PanelDesc& desc, const PanelContext& panel) {
  if (!ImGui::BeginPopupContextItem("tab menu")) return;
  CommandArgs args;
  args.text = desc.id;
  if (panel.profile != nullptr && !panel.pinned.valid() &&
      ImGui::MenuItem("Pin to this profile in a second tab")) {
    args.profile = panel.profile->id;
    panel.commands.Push("panel.duplicate", args);
  }
  if (ImGui::MenuItem("Close")) {
    args.profile = panel.pinned;
    panel.commands.Push("panel.toggle", args);
  }
  ImGui::EndPopup();
}

// Puts the current window's tab in front of the others of its place. What has the keyboard keeps
// it. The details come forward only where the selection is: other panels there were chosen by the
// user.
void ComeForward(const PanelDesc& desc) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  ImGuiTabBar* tabs = window->DockNode != nullptr ? window->DockNode->TabBar : nullptr;
  if (tabs == nullptr) return;
  if (std::string_view(desc.id) == "details") {
    const std::string selection = PanelWindowName(*FindPanel("selection"));
    const ImGuiWindow* other = ImGui::FindWindowByName(selection.c_str());
    if (other == nullptr || other->DockNode != window->DockNode || !other->DockTabIsVisible) return;
  }
  if (ImGuiTabItem* tab = ImGui::TabBarFindTabByID(tabs, window->TabId))
    ImGui::TabBarQueueFocus(tabs, tab);
}

// Whether the window floats alone: it then needs an edge.
bool Floats(const std::string& name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
  return window != nullptr && window->DockNode == nullptr;
}

// Draws the edge of several panels that float together.
void DrawEdge(const Theme& theme) {
  const ImGuiWindow* window = ImGui::GetCurrentWindow();
  if (window->DockNode == nullptr) return;
  const ImGuiDockNode* root = ImGui::DockNodeGetRootNode(window->DockNode);
  if (root->IsDockSpace()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRectFullScreen();
  list->AddRect(root->Pos, root->Pos + root->Size, theme[Role::kLine]);
  list->PopClipRect();
}

bool IsSnapshot(const Trace& trace) { return HistoryOf(trace) != nullptr; }
bool IsFleet(const Trace& trace) { return FleetOf(trace) != nullptr; }

// Lets the panel show an open profile of its kind while the active profile is of another: the
// memory snapshot beside its trace, the fleet beside the profile of a rank.
void UseOpen(bool (*is)(const Trace&), PanelContext* panel) {
  if (panel->profile == nullptr || is(*panel->profile->trace)) return;
  for (const Profile& profile : panel->profiles) {
    if (!is(*profile.trace)) continue;
    panel->profile = &profile;
    panel->state = panel->view.Find(profile.id);
    return;
  }
}

}  // namespace

bool Means(const PanelDesc& panel, const Profile& profile) {
  if (!IsFleet(*profile.trace)) return true;
  const AnalysisDesc* analysis = FindAnalysis(panel.id);
  return analysis != nullptr ? AppliesTo(*analysis, *profile.trace) : panel.of_fleets;
}

void PanelWindows::DrawOne(const PanelContext& active, const PanelDesc& desc, ProfileId pinned) {
  PanelContext panel = active;
  const std::string own = PanelWindowName(desc);
  std::string name = own;
  if (pinned.valid()) {
    panel.pinned = pinned;
    panel.profile = FindProfile(active.profiles, pinned);
    panel.state = active.view.Find(pinned);
    if (panel.profile == nullptr) return;
    name = PanelWindowName(desc, *panel.profile);
    // The window opens beside the one for the active profile.
    const ImGuiWindow* window = ImGui::FindWindowByName(own.c_str());
    if (window != nullptr && window->DockId != 0)
      ImGui::SetNextWindowDockID(window->DockId, ImGuiCond_FirstUseEver);
  } else if (name == PanelWindowName(*FindPanel("memory_snapshot"))) {
    UseOpen(IsSnapshot, &panel);
  } else if (name == PanelWindowName(*FindPanel("fleet"))) {
    UseOpen(IsFleet, &panel);
  }
  const PanelKey key{desc.id, pinned};
  auto& instance = panels_[key];
  if (!instance) instance = desc.create();
  bool open = true;
  if (focused_ == key) ImGui::SetNextWindowFocus();
  ClearBackgroundIfDocked(name.c_str());
  // Layout and commands decide which tab lies in front, not the order of drawing.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, Floats(name) ? 1.0f : 0.0f);
  const bool shown = ImGui::Begin(name.c_str(), &open, ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  if (!pinned.valid() && raised_ == desc.id) ComeForward(desc);
  DrawTabMenu(desc, panel);
  if (shown) {
    ImGui::PushID(desc.id);
    instance->Draw(panel);
    ImGui::PopID();
    DrawEdge(active.theme);
    animating_ = animating_ || instance->animating();
  }
  ImGui::End();
  if (open) return;
  panel.commands.Push("panel.toggle", {.text = desc.id, .profile = pinned});
}

void PanelWindows::Draw(const PanelContext& active, WindowState* windows) {
  animating_ = false;
  for (const PanelDesc& desc : Panels()) {
    const auto [it, inserted] = windows->panels.try_emplace(desc.id, desc.open_by_default);
    const bool means = active.profile == nullptr || Means(desc, *active.profile);
    if (it->second && means) DrawOne(active, desc, ProfileId());
    for (const PanelKey& key : windows->pinned) {
      if (key.panel == desc.id) DrawOne(active, desc, key.profile);
    }
  }
  std::erase_if(panels_, [&](const auto& entry) {
    return entry.first.profile.valid() && !windows->pinned.contains(entry.first);
  });
  focused_ = {};
  raised_.clear();
  KeepPanelsOnScreen();
}

void PanelWindows::Keep(const std::function<bool(ProfileId)>& alive) {
  std::erase_if(panels_, [&](const auto& entry) {
    return entry.first.profile.valid() && !alive(entry.first.profile);
  });
}

// A hidden panel still says what it said when it was last drawn, so animating_ is asked first.
std::vector<std::string> PanelWindows::Busy() const {
  std::vector<std::string> out;
  for (const auto& [key, panel] : panels_)
    if (animating_ && panel->animating()) out.push_back(key.panel);
  return out;
}

}  // namespace stepscope
