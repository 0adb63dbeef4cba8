#include "viewer/timeline/timeline_panel.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "model/base/digits.h"
#include "model/lookup.h"
#include "model/query/event_query.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/timeline/painting/view_svg.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

void CommandItem(const TimelineInput& input, CommandId id, CommandArgs args = {},
                 const char* title = nullptr) {
  const CommandDesc& desc = DescOf(id);
  if (ImGui::MenuItem(title != nullptr ? title : desc.title,
                      FirstKey(KeysOf(input.panel, desc)).c_str()))
    input.panel.commands.Push(id, std::move(args));
}

void Heading(const TimelineInput& input, std::string_view text) {
  ImGui::PushTextWrapPos(Em() * 32);
  TextIn(input.panel, Role::kText2, text);
  ImGui::PopTextWrapPos();
  ImGui::Separator();
}

}  // namespace

void TimelineMenu::DrawEvent(const TimelineInput& input) {
  const Profile* profile = nullptr;
  for (const Profile& r : input.profiles) profile = r.id == target_.event.trace ? &r : profile;
  const TrackSet* set = profile != nullptr ? profile->SetOf(target_.event) : nullptr;
  if (set == nullptr) return;
  const std::string name(set->Name(target_.event.row));
  Heading(input, name);
  CommandItem(input, "view.zoom_selection");
  CommandItem(input, "measure.selection");
  ImGui::Separator();
  CommandArgs filter;
  filter.text = QueryForWhole(name);
  CommandItem(input, "search.set", std::move(filter), "Filter timeline to this name");
  if (ImGui::MenuItem("Show all of this name on this track")) FindSameName(input, *profile);
  CommandItem(input, "select.next_same");
  CommandItem(input, "select.previous_same");
  CommandItem(input, "select.parent");
  CommandItem(input, "select.flow_previous");
  CommandItem(input, "select.flow_next");
  CommandItem(input, "filter.here");
  CommandItem(input, "mark.add");
  ImGui::Separator();
  CommandItem(input, "copy.name");
  CommandItem(input, "copy.all");
}

void TimelineMenu::DrawHeights(const TimelineInput& input, CommandArgs path) const {
  if (target_.event.valid() || !ImGui::BeginMenu("Height")) return;
  for (const int rows : {1, 2, 4, 8, 0}) {
    path.rows = rows;
    const std::string title = rows == 0 ? std::string("Show all rows")
                                        : "At most " + Counted(static_cast<uint64_t>(rows), "rows");
    CommandItem(input, "track.rows", path, title.c_str());
  }
  ImGui::EndMenu();
}

// A name takes effect with Enter, and what is typed is no key of a command.
void TimelineMenu::DrawName(const TimelineInput& input, const std::string& given) {
  if (!ImGui::BeginMenu(DescOf("track.rename").title)) {
    name_path_.clear();
    return;
  }
  if (name_path_ != target_.path) {
    name_path_ = target_.path;
    name_ = given;
    ImGui::SetKeyboardFocusHere();
  }
  CommandArgs args;
  args.profile = target_.profile;
  args.paths = {target_.path};
  ImGui::SetNextItemWidth(Em() * 16);
  if (InputText("##name", "name, then Enter", &name_, ImGuiInputTextFlags_EnterReturnsTrue)) {
    args.text = name_;
    input.panel.commands.Push("track.rename", args);
    ImGui::CloseCurrentPopup();
  }
  if (!given.empty() && ImGui::MenuItem("Recorded name")) {
    args.text.clear();
    input.panel.commands.Push("track.rename", args);
  }
  ImGui::EndMenu();
}

void TimelineMenu::DrawColors(const TimelineInput& input, uint32_t color) const {
  if (!ImGui::BeginMenu(DescOf("track.color").title)) return;
  CommandArgs args;
  args.profile = target_.profile;
  args.text = target_.path;
  const float size = ImGui::GetFontSize();
  for (uint32_t i = 0; i <= kMarkerColors; ++i) {
    args.color = i;
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string title = i == 0 ? "No colour" : "     Colour " + std::to_string(i);
    if (ImGui::MenuItem(title.c_str(), nullptr, i == color))
      input.panel.commands.Push("track.color", args);
    if (i > 0)
      ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size, at.y + size},
                                                MarkerColor(input.panel.theme, i - 1), 3);
    ImGui::PopID();
  }
  ImGui::EndMenu();
}

void TimelineMenu::DrawTrack(const TimelineInput& input) {
  CommandArgs profile, path;
  profile.profile = path.profile = target_.profile;
  path.text = target_.path;
  const auto fold = [&](const std::string& what, const char* title) {
    if (what.empty()) return;
    CommandArgs args = profile;
    args.text = what;
    CommandItem(input, "view.toggle_collapse", std::move(args), title);
  };
  fold(target_.folds, nullptr);
  fold(target_.frames, "Outer frames in one row, or each in its own");
  CommandItem(input, "track.only", path);
  CommandItem(input, "track.select", path);
  ImGui::Separator();
  const TrackRules& rules = input.panel.settings.tracks;
  const auto& pinned = rules.pinned;
  const bool is_pinned = std::find(pinned.begin(), pinned.end(), path.text) != pinned.end();
  CommandItem(input, "track.pin", path, is_pinned ? "Unpin" : nullptr);
  CommandItem(input, "track.move", path, "Move to the top of its group");
  DrawHeights(input, path);
  const auto name = rules.names.find(path.text);
  DrawName(input, name != rules.names.end() ? name->second : std::string());
  const auto color = rules.colors.find(path.text);
  DrawColors(input, color != rules.colors.end() ? color->second : 0);
  CommandItem(input, "view.toggle_hidden", path);
  ImGui::Separator();
  CommandItem(input, "track.only_selected", profile);
  CommandItem(input, "view.show_hidden");
  CommandItem(input, "track.unpin_all");
  CommandItem(input, "track.reset_looks");
  ImGui::Separator();
  CommandItem(input, "view.collapse_all", profile);
  CommandItem(input, "view.expand_all", profile);
}

// A job does this, because it takes longer than a frame for a track with millions of events.
void TimelineMenu::FindSameName(const TimelineInput& input, const Profile& profile) {
  same_name_.Start(input.panel.jobs, [profile, event = target_.event](Progress&) {
    CommandArgs args;
    args.profile = profile.id;
    const SameNameEvents same =
        AllOfSameName(*profile.SetOf(event), event.row, kMaxHighlightedEvents);
    args.total = static_cast<int64_t>(same.total);
    args.events.reserve(same.rows.size());
    for (EventRow row : same.rows) args.events.push_back({profile.id, event.set, row});
    return args;
  });
}

// Shows the result of an earlier question, unless its profile was closed meanwhile.
void TimelineMenu::ShowSameName(const TimelineInput& input) {
  std::optional<CommandArgs> found = same_name_.Take();
  if (found && FindProfile(input.profiles, found->profile) != nullptr)
    input.panel.commands.Push("select.show_events", std::move(*found));
}

void TimelineMenu::Draw(const TimelineInput& input, std::optional<TimelineMenuTarget> asked) {
  ShowSameName(input);
  if (asked) {
    target_ = std::move(*asked);
    ImGui::OpenPopup("timeline menu");
  }
  if (!ImGui::BeginPopup("timeline menu")) return;
  if (target_.event.valid()) {
    DrawEvent(input);
  } else {
    DrawTrack(input);
  }
  ImGui::EndPopup();
}

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
