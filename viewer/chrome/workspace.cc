// The docking layout: timeline 60 % on top, details and panels below.
#include <imgui.h>
#include <imgui_internal.h>

#include "viewer/chrome/chrome.h"
#include "viewer/settings.h"

namespace stepscope {
namespace {

constexpr float kTimelineShare = 0.63f, kDetailsShare = 0.30f, kDetailsShareSmall = 0.34f;

void BuildDefault(ImGuiID dock, ImVec2 pos, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dock);
  ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodePos(dock, pos);
  ImGui::DockBuilderSetNodeSize(dock, size);
  ImGuiID top = 0, bottom = 0, left = 0, right = 0;
  ImGui::DockBuilderSplitNode(dock, ImGuiDir_Up, kTimelineShare, &top, &bottom);
  const float share = size.x < 1500 ? kDetailsShareSmall : kDetailsShare;
  ImGui::DockBuilderSplitNode(bottom, ImGuiDir_Left, share, &left, &right);
  ImGui::DockBuilderDockWindow(kTimelineWindow, top);
  for (const PanelDesc& panel : Panels()) {
    const ImGuiID node = panel.slot == DockSlot::kCentre       ? top
                         : panel.slot == DockSlot::kBottomLeft ? left
                                                               : right;
    ImGui::DockBuilderDockWindow(PanelWindowName(panel).c_str(), node);
  }
  ImGui::DockBuilderFinish(dock);
}

}  // namespace

std::string PanelWindowName(const PanelDesc& panel) {
  return std::string(panel.title) + "###panel_" + panel.id;
}

unsigned DrawDockSpace(const ChromeInput& input, bool reset, bool hidden, bool* built) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImGuiID dock = ImGui::GetID("stepscope.workspace");
  const ImGuiDockNode* node = ImGui::DockBuilderGetNode(dock);
  const bool missing = node == nullptr || (!node->IsSplitNode() && node->Windows.empty());
  const bool old = input.panel.settings.Int("layout.version") != kLayoutVersion;
  *built = (missing || old || reset) && viewport->WorkSize.x > 64 && viewport->WorkSize.y > 64;
  if (*built) {
    BuildDefault(dock, viewport->WorkPos, viewport->WorkSize);
    CommandArgs args;
    args.text = "layout.version=" + std::to_string(kLayoutVersion);
    if (old) input.panel.commands.Push("app.set", std::move(args));
  }
  const ImGuiDockNodeFlags flags =
      ImGuiDockNodeFlags_NoWindowMenuButton | (hidden ? ImGuiDockNodeFlags_KeepAliveOnly : 0);
  ImGui::PushStyleColor(ImGuiCol_Separator, input.panel.theme[Role::kWindow]);
  ImGui::DockSpaceOverViewport(dock, viewport, flags);
  ImGui::PopStyleColor();
  return dock;
}

}  // namespace stepscope
