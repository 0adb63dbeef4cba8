// The docking layout: the timeline on top with what its content needs, at most 60 %; details and
// panels below.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "viewer/core/state/settings.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/shell/shell.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

// Shares of the height. Panels get more than kPanelShare where the timeline's content leaves room:
// up to kPanelShareMost, or up to kPanelShareHigh where the timeline keeps kTimelineLeast pixels
// for rows that are unfolded later.
constexpr float kPanelShare = 0.40f, kPanelShareMost = 0.66f, kPanelShareHigh = 0.74f;
constexpr float kPanelShareTall = 0.68f;
constexpr float kTimelineLeast = 250;
constexpr float kDetailsShare = 0.27f, kDetailsShareSmall = 0.30f;  // share of the width
constexpr float kDetailsMost = 560;  // more than names and values need; charts and tables do not

constexpr const char* kFrontPanel = "overview";

// The bars above and below the workspace take their place in the second frame.
constexpr int kFramesToSettle = 3;

// Chooses the tab that lies in front when the node's tab bar is made.
void PutInFront(ImGuiID node, const PanelDesc& panel) {
  ImGuiDockNode* dock_node = ImGui::DockBuilderGetNode(node);
  if (dock_node == nullptr) return;
  const ImGuiID window = ImHashStr(PanelWindowName(panel).c_str());
  dock_node->SelectedTabId = ImHashStr("#TAB", 0, window);
}

// The panel that lies in front of the others beside the details, or nothing.
std::string FrontPanel() {
  const ImGuiWindow* front = nullptr;
  std::string id;
  for (const PanelDesc& panel : Panels()) {
    const ImGuiWindow* window = ImGui::FindWindowByName(PanelWindowName(panel).c_str());
    if (panel.slot != DockSlot::kBottomRight || window == nullptr || !window->WasActive) continue;
    if (window->DockNode != nullptr && !window->DockTabIsVisible) continue;
    // The user may have split them; the one used last counts.
    if (front != nullptr && window->FocusOrder < front->FocusOrder) continue;
    front = window;
    id = panel.id;
  }
  return id;
}

void BuildDefault(ImGuiID dock, ImVec2 pos, ImVec2 size, std::string_view front) {
  ImGui::DockBuilderRemoveNode(dock);
  ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodePos(dock, pos);
  ImGui::DockBuilderSetNodeSize(dock, size);
  ImGuiID top = 0, bottom = 0, left = 0, right = 0;
  ImGui::DockBuilderSplitNode(dock, ImGuiDir_Down, kPanelShare, &bottom, &top);
  const float wanted = size.x < ScaledSize(1500) ? kDetailsShareSmall : kDetailsShare;
  const float share = std::min(wanted, ScaledSize(kDetailsMost) / size.x);
  ImGui::DockBuilderSplitNode(bottom, ImGuiDir_Left, share, &left, &right);
  ImGui::DockBuilderDockWindow(kTimelineWindow, top);
  for (const PanelDesc& panel : Panels()) {
    const ImGuiID node = panel.slot == DockSlot::kCentre       ? top
                         : panel.slot == DockSlot::kBottomLeft ? left
                                                               : right;
    ImGui::DockBuilderDockWindow(PanelWindowName(panel).c_str(), node);
    if (panel.id == front) PutInFront(right, panel);
  }
  ImGui::DockBuilderFinish(dock);
}

// Keeps the parts' shares of the window when its size changes.
void Scale(ImGuiDockNode* node, ImVec2 by) {
  if (node == nullptr) return;
  node->SizeRef = {node->SizeRef.x * by.x, node->SizeRef.y * by.y};
  for (ImGuiDockNode* child : node->ChildNodes) Scale(child, by);
}

bool IsSplit(const ImGuiDockNode* root) {
  return root != nullptr && root->SplitAxis == ImGuiAxis_Y && root->Size.y > 64;
}

// While no profile is open nothing lies in the parts, and the upper one has the whole height.
bool IsLaidOut(const ImGuiDockNode& root) {
  return root.ChildNodes[0]->Size.y + root.ChildNodes[1]->Size.y <= root.Size.y + 1;
}

float ShareOfPanels(const ImGuiDockNode& root) {
  return root.ChildNodes[1]->Size.y / std::max(1.0f, root.Size.y);
}

void SetShareOfPanels(ImGuiDockNode* root, float share) {
  const float below = std::floor(root->Size.y * share);
  root->ChildNodes[0]->SizeRef.y = root->Size.y - below;
  root->ChildNodes[1]->SizeRef.y = below;
}

// Gives the panels below the timeline two thirds of the height or the share that fits, whichever is
// further from their share now; where about as much fits, the timeline gets most of the height. The
// layout itself is the state, so this also works on a layout that was kept or set with the
// splitter.
void SwitchTall(ImGuiDockNode* root, float fitted) {
  if (!IsSplit(root)) return;
  const float share = ShareOfPanels(*root);
  constexpr float kAboutTall = kPanelShareTall - 0.02f;
  const float other = fitted > kAboutTall ? kPanelShare : kPanelShareTall;
  SetShareOfPanels(root, std::abs(share - fitted) < std::abs(share - other) ? other : fitted);
}

// By how many pixels the timeline's content is higher than its rows; negative where it is lower.
float MissingHeight(const ShellInput& input) {
  const TimelineFeedback& shown = input.timeline;
  if (shown.areas.empty()) return static_cast<float>(shown.content_height - shown.rows_height);
  double most = -1e9;
  for (const TimelineFeedback::Area& area : shown.areas)
    most = std::max(most, area.content_height - area.rows_height);
  const size_t areas = shown.areas.size();
  const bool beside = LayoutOfProfiles(input.panel.settings, areas) == ProfileLayout::kBeside;
  return static_cast<float>(beside ? most : most * static_cast<double>(areas));
}

// Gives the panels what the timeline leaves. A share that the user chose stays: it is not the one
// that was fitted last.
void Fit(const ShellInput& input, ImGuiDockNode* root) {
  constexpr double kSame = 0.01;
  if (!IsSplit(root) || !IsLaidOut(*root) || input.timeline.rows_height <= 0) return;
  const double share = static_cast<double>(ShareOfPanels(*root));
  if (std::abs(share - input.panel.settings.panel_share) > kSame) return;
  // The legend of a comparison lies over the lowest rows.
  const float legend = ComparesProfiles(input.panel) ? BaseEm() * 2.4f : BaseEm() * 0.5f;
  const float needed = root->ChildNodes[0]->Size.y + MissingHeight(input) + legend +
                       ImGui::GetStyle().DockingSeparatorSize;
  const float high = 1 - ScaledSize(kTimelineLeast) / root->Size.y;
  const float most = std::clamp(high, kPanelShareMost, kPanelShareHigh);
  const float fits = std::clamp(1 - needed / root->Size.y, kPanelShare, most);
  if (std::abs(static_cast<double>(fits) - share) < kSame / 4) return;
  SetShareOfPanels(root, fits);
  input.panel.commands.PushSetting(&Settings::panel_share, fits);
}

}  // namespace

std::string PanelWindowName(const PanelDesc& panel) {
  return std::string(panel.title) + "###panel_" + panel.id;
}

std::string PanelWindowName(const PanelDesc& panel, const Profile& pinned) {
  return std::string(panel.title) + " \u00b7 " + pinned.label + "###panel_" + panel.id + "@" +
         std::to_string(pinned.id.value);
}

unsigned DrawDockSpace(const ShellInput& input, bool hidden, WorkspaceState* state) {
  const bool reset = std::exchange(state->reset, false);
  const bool switch_tall = std::exchange(state->switch_tall, false);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImGuiID dock = ImGui::GetID("stepscope.workspace");
  const ImGuiDockNode* node = ImGui::DockBuilderGetNode(dock);
  const ImVec2 size = viewport->WorkSize;
  const bool missing = node == nullptr || (!node->IsSplitNode() && node->Windows.empty());
  const bool old = input.panel.settings.layout_version != kLayoutVersion;
  const bool starting = state->frames < kFramesToSettle;
  if (starting && state->frames++ == 0 && node != nullptr) {
    state->width = node->Size.x, state->height = node->Size.y;  // the size it was saved with
  }
  // It is built again when the bars have their places.
  const bool settling = state->frames_since_built < kFramesToSettle &&
                        (size.x != state->width || size.y != state->height);
  state->built = (missing || old || reset || settling) && size.x > 64 && size.y > 64;
  if (state->built) {
    if (!settling) state->front = reset && !missing ? FrontPanel() : std::string();
    BuildDefault(dock, viewport->WorkPos, size,
                 state->front.empty() ? std::string_view(kFrontPanel) : state->front);
    input.panel.commands.PushSetting(&Settings::panel_share, kPanelShare);
    state->fit = kFramesToFit;
    if (old) input.panel.commands.PushSetting(&Settings::layout_version, kLayoutVersion);
    if (!settling) state->frames_since_built = 0;
    state->width = size.x, state->height = size.y;
  } else if (size.x <= 64 || size.y <= 64) {
    state->fit = 0;  // nothing has room; the workspace is built anew when the window grows
  } else if (!starting && state->width > 64 && state->height > 64) {
    ++state->frames_since_built;
    if (size.x != state->width || size.y != state->height) {
      Scale(ImGui::DockBuilderGetNode(dock), {size.x / state->width, size.y / state->height});
    }
    if (state->fit > 0 && !hidden) {
      --state->fit;
      Fit(input, ImGui::DockBuilderGetNode(dock));
    }
    if (switch_tall) {
      const auto fitted = static_cast<float>(input.panel.settings.panel_share);
      SwitchTall(ImGui::DockBuilderGetNode(dock), fitted);
    }
    state->width = size.x, state->height = size.y;
  }
  const ImGuiDockNodeFlags flags = ImGuiDockNodeFlags_NoWindowMenuButton |
                                   static_cast<int>(ImGuiDockNodeFlags_NoCloseButton) |
                                   (hidden ? ImGuiDockNodeFlags_KeepAliveOnly : 0);
  ImGui::PushStyleColor(ImGuiCol_Separator, input.panel.theme[Role::kWindow]);
  // The window was cleared with this colour; a software renderer pays for each time it is filled.
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);
  ImGui::DockSpaceOverViewport(dock, viewport, flags);
  ImGui::PopStyleColor(2);
  return dock;
}

void KeepPanelsOnScreen() {
  // Dear ImGui then keeps them on the monitors that there are.
  if ((ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_ViewportsEnable) != 0) return;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;  // the user may be dragging it
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  for (const PanelDesc& panel : Panels()) {
    ImGuiWindow* window = ImGui::FindWindowByName(PanelWindowName(panel).c_str());
    if (window == nullptr || !window->Active) continue;
    ImGuiDockNode* root =
        window->DockNode != nullptr ? ImGui::DockNodeGetRootNode(window->DockNode) : nullptr;
    if (root != nullptr && root->IsDockSpace()) continue;
    const ImVec2 pos = root != nullptr ? root->Pos : window->Pos;
    const ImVec2 size = root != nullptr ? root->Size : window->SizeFull;
    const ImVec2 fits(std::min(size.x, viewport->WorkSize.x),
                      std::min(size.y, viewport->WorkSize.y));
    const ImVec2 most = viewport->WorkPos + viewport->WorkSize - fits;
    const ImVec2 inside(std::clamp(pos.x, viewport->WorkPos.x, most.x),
                        std::clamp(pos.y, viewport->WorkPos.y, most.y));
    if (root != nullptr) {
      if (fits.x < size.x || fits.y < size.y) ImGui::DockBuilderSetNodeSize(root->ID, fits);
      if (inside.x != pos.x || inside.y != pos.y) ImGui::DockBuilderSetNodePos(root->ID, inside);
      continue;
    }
    if (fits.x < size.x || fits.y < size.y) ImGui::SetWindowSize(window, fits);
    if (inside.x != pos.x || inside.y != pos.y) ImGui::SetWindowPos(window, inside);
  }
}

void ClearBackgroundIfDocked(const char* window_name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(window_name);
  if (window == nullptr || window->DockNode == nullptr) return;
  // No dock space lies behind a floating node.
  if (ImGui::DockNodeGetRootNode(window->DockNode)->IsDockSpace()) ImGui::SetNextWindowBgAlpha(0);
}

}  // namespace stepscope
