#include "viewer/shell/panel_windows.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "model/allocator_history.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

// What a right click on a panel's tab offers.
void DrawTabMenu(const PanelDesc& desc, const PanelContext& panel) {
  if (!ImGui::BeginPopupContextItem("tab menu")) return;
  CommandArgs args;
  args.text = desc.id;
  if (panel.run != nullptr && !panel.pinned.valid() &&
      ImGui::MenuItem("Pin to this profile in a second tab")) {
    args.run = panel.run->id;
    panel.commands.Push("panel.duplicate", args);
  }
  if (ImGui::MenuItem("Close")) {
    args.run = panel.pinned;
    panel.commands.Push("panel.toggle", args);
  }
  ImGui::EndPopup();
}

// Where the active run is a trace, the snapshot that lies beside it.
void UseOpenSnapshot(PanelContext* panel) {
  if (panel->run == nullptr || HistoryOf(*panel->run->trace) != nullptr) return;
  for (const Run& run : panel->runs) {
    if (HistoryOf(*run.trace) == nullptr) continue;
    panel->run = &run;
    panel->state = panel->view.Find(run.id);
    return;
  }
}

}  // namespace

void PanelWindows::DrawOne(const PanelContext& active, const WindowState& windows,
                           const PanelDesc& desc, TraceId pinned) {
  PanelContext panel = active;
  const std::string own = PanelWindowName(desc);
  std::string name = own;
  if (pinned.valid()) {
    panel.pinned = pinned;
    panel.run = FindRun(active.runs, pinned);
    panel.state = active.view.Find(pinned);
    if (panel.run == nullptr) return;
    name = PanelWindowName(desc, *panel.run);
    // Beside the one that shows the active run.
    const ImGuiWindow* window = ImGui::FindWindowByName(own.c_str());
    if (window != nullptr && window->DockId != 0)
      ImGui::SetNextWindowDockID(window->DockId, ImGuiCond_FirstUseEver);
  } else if (name == PanelWindowName(*FindPanel("memory_snapshot"))) {
    UseOpenSnapshot(&panel);
  }
  const PanelKey key{desc.id, pinned};
  auto& instance = panels_[key];
  if (!instance) instance = desc.create();
  bool open = true;
  if (windows.focus_panel == key) ImGui::SetNextWindowFocus();
  ClearBackgroundIfDocked(name.c_str());
  // Which tab lies in front is for the layout and for commands to say, not for who comes last.
  const bool shown = ImGui::Begin(name.c_str(), &open, ImGuiWindowFlags_NoFocusOnAppearing);
  DrawTabMenu(desc, panel);
  if (shown) {
    ImGui::PushID(desc.id);
    instance->Draw(panel);
    ImGui::PopID();
    animating_ = animating_ || instance->animating();
  }
  ImGui::End();
  if (open) return;
  CommandArgs args;
  args.text = desc.id;
  args.run = pinned;
  panel.commands.Push("panel.toggle", std::move(args));
}

void PanelWindows::Draw(const PanelContext& active, WindowState* windows) {
  animating_ = false;
  for (const PanelDesc& desc : Panels()) {
    const auto [it, inserted] = windows->panels.try_emplace(desc.id, desc.open_by_default);
    if (it->second) DrawOne(active, *windows, desc, TraceId());
    for (const PanelKey& key : windows->pinned) {
      if (key.panel == desc.id) DrawOne(active, *windows, desc, key.run);
    }
  }
  std::erase_if(panels_, [&](const auto& entry) {
    return entry.first.run.valid() && !windows->pinned.contains(entry.first);
  });
  windows->focus_panel = {};
  KeepPanelsOnScreen();
}

void PanelWindows::Keep(const std::function<bool(TraceId)>& alive) {
  std::erase_if(panels_, [&](const auto& entry) {
    return entry.first.run.valid() && !alive(entry.first.run);
  });
}

// One that is hidden says what it said when it was last drawn.
std::vector<std::string> PanelWindows::Busy() const {
  std::vector<std::string> out;
  for (const auto& [key, panel] : panels_)
    if (animating_ && panel->animating()) out.push_back(key.panel);
  return out;
}

}  // namespace stepscope
