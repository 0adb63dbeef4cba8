// Markers: times and ranges that the user wants to find again, with their names. A click shows one;
// its name is typed in place.
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

class MarkersPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;

 private:
  void DrawToolbar(const PanelContext& context) const;
  void DrawRow(const PanelContext& context, size_t i, const Marker& marker);
  void DrawName(const PanelContext& context, size_t i, const Marker& marker);
  static void Show(const PanelContext& context, const Marker& marker);
  static void Measure(const PanelContext& context, const Marker& marker);
  static void Push(const PanelContext& context, CommandId command, size_t i, std::string text = {});

  size_t edited_ = 0;  // the marker whose name is being typed
  std::optional<std::string> name_;
};

void MarkersPanel::Push(const PanelContext& context, CommandId command, size_t i,
                        std::string text) {
  context.commands.Push(
      command,
      {.text = std::move(text), .profile = context.profile->id, .marker = static_cast<int64_t>(i)});
}

void MarkersPanel::DrawToolbar(const PanelContext& context) const {
  if (ImGui::Button("Add marker")) context.commands.Push("mark.add");
  ImGui::SetItemTooltip("%s", DescOf("mark.add").what);
  ImGui::SameLine();
  const FaceScope small(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  TextIn(context, Role::kText3, "Shift+M marks what is under the mouse");
  // Times count from the origin of the trace, whatever the panels are limited to.
  const TimeRange whole = context.profile->trace->span;
  DrawScopeOf(context, "Whole trace, " + FormatDuration(whole.length(), 4), whole);
}

// Typed text becomes the name when the box is left or Enter is pressed.
void MarkersPanel::DrawName(const PanelContext& context, size_t i, const Marker& marker) {
  const bool mine = name_.has_value() && edited_ == i;
  std::string text = mine ? *name_ : marker.name;
  ImGui::SetNextItemWidth(-1);
  const bool changed = InputText("##name", "name it", &text);
  if (changed) {
    edited_ = i;
    name_ = text;
  }
  if (mine && ImGui::IsItemDeactivated()) {
    Push(context, "mark.rename", i, std::move(text));
    name_.reset();
  }
}

// Shows the marker with a quarter of its length, or of the visible range, on both sides.
void MarkersPanel::Show(const PanelContext& context, const Marker& marker) {
  const Ps around = std::max<Ps>(marker.range.length() / 4,
                                 context.view.VisibleIn(context.profile->id).length() / 4);
  const TimeRange range{SaturatingSub(marker.range.begin, around),
                        SaturatingAdd(marker.range.end, around)};
  context.commands.Push("view.set_range", {.range = range, .profile = context.profile->id});
}

void MarkersPanel::Measure(const PanelContext& context, const Marker& marker) {
  context.commands.Push("measure.set", {.range = marker.range, .profile = context.profile->id});
}

void MarkersPanel::DrawRow(const PanelContext& context, size_t i, const Marker& marker) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const float size = ImGui::GetFrameHeight();
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(MarkerColor(context.theme, marker.color));
  if (ImGui::ColorButton("##color", color, ImGuiColorEditFlags_NoTooltip, {size * 0.6f, size}))
    Push(context, "mark.color", i);
  ImGui::SetItemTooltip("Another colour");
  ImGui::TableNextColumn();
  DrawName(context, i, marker);
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  if (LinkText(context, "##at", WithoutZeros(FormatDuration(marker.range.begin, 7))))
    Show(context, marker);
  ImGui::SetItemTooltip("Go there");
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  if (marker.range.empty()) {
    TextIn(context, Role::kText3, "\xE2\x80\x93");
  } else if (LinkText(context, "##length",
                      WithoutZeros(FormatDuration(marker.range.length(), 4)))) {
    Measure(context, marker);
  }
  if (!marker.range.empty()) ImGui::SetItemTooltip("Measure this range");
  ImGui::TableNextColumn();
  const bool icons = context.fonts.icons;
  if (ImGui::Button(icons ? icon::kClose : "x")) Push(context, "mark.remove", i);
  ImGui::SetItemTooltip("Remove; Ctrl+Z brings it back");
}

void MarkersPanel::Draw(const PanelContext& context) {
  if (context.state == nullptr || context.profile == nullptr || !context.profile->trace) {
    TextIn(context, Role::kText2, "Open a profile to mark times in it.");
    return;
  }
  DrawToolbar(context);
  const std::vector<Marker>& markers = context.state->markers;
  if (markers.empty()) {
    ImGui::Spacing();
    WrappedIn(context, Role::kText2,
              "No markers yet. Shift+M keeps the measured range, or the time under the mouse. "
              "Markers are kept beside your settings and found again with this profile.");
    return;
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("markers", 5, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("##color");
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
  // A link is as wide as its column, so the columns have fixed widths.
  const auto column = [](const char* name, const char* widest) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed, TextWidth(widest) + Em());
  };
  column("At", "0000.0000 ms");
  column("Length", "000.00 ms");
  ImGui::TableSetupColumn("##do");
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(markers.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      DrawRow(context, static_cast<size_t>(i), markers[static_cast<size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace

std::unique_ptr<Panel> MakeMarkersPanel() { return std::make_unique<MarkersPanel>(); }

}  // namespace stepscope
