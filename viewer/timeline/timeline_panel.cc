#include "viewer/timeline/timeline_panel.h"

#include <imgui_internal.h>

#include <algorithm>

#include "viewer/core/state/settings.h"
#include "viewer/timeline/painting/view_svg.h"

namespace stepscope {

void TimelinePanel::Draw(const TimelineInput& input) {
  const TimelineFrame frame = Frame(input);
  if (input.profiles.empty() || !frame.geometry.drawable()) return;
  drawn_ = true;
  model_.Update(frame, &input.panel.commands);
  feedback_.rows_height = static_cast<double>(frame.geometry.rows.h);
  feedback_.content_height = model_.layout().height();
  feedback_.row = model_.layout().sizes().row;
  interaction_.Update(frame, model_, ReadMouse(frame.geometry), ImGui::GetFontSize(),
                      &input.panel.commands);
  feedback_.cursor_valid = interaction_.cursor().has_value();
  const ViewState& view = input.panel.view;
  if (feedback_.cursor_valid)  // in the time of the active profile
    feedback_.cursor =
        view.Translate(input.profiles[model_.active()].id, view.active, *interaction_.cursor());
  if (feedback_.cursor_valid) input.panel.pointed.Set(feedback_.cursor);
  if (interaction_.resizes()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (interaction_.dragged()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  TimelineInput painted = input;
  painted.facts = &facts_;
  WindowPainter(painted, model_, interaction_).Draw();
  menu_.Draw(input, interaction_.TakeMenu());
}

std::string TimelinePanel::Svg(const TimelineScene& scene, std::string_view id, float x,
                               float y) const {
  return drawn_ ? ViewSvg({model_, scene, id, x, y}) : std::string();
}

float TimelinePanel::svg_top() const { return TopOfSvg(model_.geometry()); }

TimelineFrame TimelinePanel::Frame(const TimelineInput& input) const {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const Box area = input.area.value_or(Box{at.x, at.y, size.x, size.y});
  const float font = ImGui::GetFontSize();
  const float label = std::min(static_cast<float>(input.panel.settings.label_width) * font,
                               area.w * input.most_label);
  TimelineFrame frame{
      .profiles = input.profiles,
      .view = input.panel.view,
      .settings = input.panel.settings,
      .hits = input.search.hits(),
      .names = input.names,
      .jobs = input.panel.jobs,
      .content_generation = input.content_generation,
      .geometry = TimelineGeometry::Make(area, font / TypeSize::kUi, label, input.top),
      .seconds = static_cast<double>(ImGui::GetIO().DeltaTime),
      .animate = input.animate,
      .direct = interaction_.direct(),
      .gesture = interaction_.gesture(),
      .anchor_y = {},
      .path = input.path,
      .hovered = interaction_.lit().valid() ? interaction_.lit() : input.hovered,
      .counterpart = input.counterpart,
      .all_profiles = input.all_profiles,
      .minimap_of_all = input.minimap_of_all};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMousePosValid(&mouse) && frame.geometry.all.Has(mouse.x, mouse.y))
    frame.anchor_y = mouse.y;
  return frame;
}

// ImGui sees the canvas as one item. Tool buttons lie on top of it.
TimelineMouse TimelinePanel::ReadMouse(const TimelineGeometry& geometry) const {
  const ImGuiIO& io = ImGui::GetIO();
  const Box& all = geometry.all;
  ImGui::SetCursorScreenPos({all.x, all.y});
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton("##canvas", {std::max(1.0f, all.w), std::max(1.0f, all.h)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
                             ImGuiButtonFlags_MouseButtonRight);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelX);
  TimelineMouse mouse;
  mouse.x = io.MousePos.x;
  mouse.y = io.MousePos.y;
  mouse.over = ImGui::IsItemHovered();
  mouse.pressed = ImGui::IsItemActivated();
  mouse.middle = ImGui::IsMouseDown(ImGuiMouseButton_Middle);
  mouse.right = ImGui::IsMouseDown(ImGuiMouseButton_Right);
  mouse.held = ImGui::IsItemActive() &&
               (mouse.middle || mouse.right || ImGui::IsMouseDown(ImGuiMouseButton_Left));
  mouse.double_clicked = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  mouse.right_clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
                        !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right);
  mouse.wheel = io.MouseWheel;
  mouse.sideways = io.MouseWheelH;
  mouse.shift = io.KeyShift;
  mouse.ctrl = io.KeyCtrl;
  mouse.alt = io.KeyAlt;
  mouse.cancel = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  return mouse;
}

}  // namespace stepscope
