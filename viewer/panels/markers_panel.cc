// Markers: times and ranges that the user wants to find again, with their names. A click shows one;
// its name is typed in place.
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "viewer/core/panel.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

class MarkersPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;

 private:
  void DrawToolbar(const PanelContext& context) const;
  void DrawRow(const PanelContext& context, size_t i, const Marker& marker);
  void DrawName(const PanelContext& context, size_t i, const Marker& marker);
  static void Push(const PanelContext& context, const char* command, size_t i,
                   std::string text = {});

  size_t edited_ = 0;  // the marker whose name is being typed
  std::optional<std::string> name_;
};

void MarkersPanel::Push(const PanelContext& context, const char* command, size_t i,
                        std::string text) {
  CommandArgs args;
  args.run = context.run->id;
  args.number = static_cast<double>(i);
  args.text = std::move(text);
  context.commands.Push(command, std::move(args));
}

void MarkersPanel::DrawToolbar(const PanelContext& context) const {
  if (ImGui::Button("Add marker")) context.commands.Push("mark.add");
  ImGui::SetItemTooltip("%s", FindCommand("mark.add")->what);
  ImGui::SameLine();
  const FaceScope small(context, Face::kUi);
  ImGui::AlignTextToFramePadding();
  TextIn(context, Role::kText3, "Shift+M marks what is under the mouse");
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

void MarkersPanel::DrawRow(const PanelContext& context, size_t i, const Marker& marker) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const float size = ImGui::GetFrameHeight() * 0.6f;
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(MarkerColor(context.theme, marker.color));
  if (ImGui::ColorButton("##color", color, ImGuiColorEditFlags_NoTooltip, {size, size}))
    Push(context, "mark.color", i);
  ImGui::SetItemTooltip("Another colour");
  ImGui::TableNextColumn();
  DrawName(context, i, marker);
  ImGui::TableNextColumn();
  const std::string at = WithoutZeros(FormatDuration(marker.range.begin, 7));
  if (LinkText(context, "##at", at)) {
    CommandArgs args;
    args.run = context.run->id;
    const Ps around = std::max<Ps>(marker.range.length() / 4,
                                   context.view.VisibleIn(context.run->id).length() / 4);
    args.range = {SaturatingSub(marker.range.begin, around),
                  SaturatingAdd(marker.range.end, around)};
    context.commands.Push("view.set_range", std::move(args));
  }
  ImGui::TableNextColumn();
  const std::string length = marker.range.empty()
                                 ? "\xE2\x80\x93"
                                 : WithoutZeros(FormatDuration(marker.range.length(), 4));
  ImGui::TextUnformatted(length.c_str());
  ImGui::TableNextColumn();
  ImGui::BeginDisabled(marker.range.empty());
  if (ImGui::SmallButton("Measure")) {
    CommandArgs args;
    args.run = context.run->id;
    args.range = marker.range;
    context.commands.Push("measure.set", std::move(args));
  }
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::SmallButton("Remove")) Push(context, "mark.remove", i);
}

void MarkersPanel::Draw(const PanelContext& context) {
  if (context.state == nullptr || context.run == nullptr) {
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
  ImGui::TableSetupColumn("At");
  ImGui::TableSetupColumn("Length");
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
