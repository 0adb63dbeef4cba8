// Mouse input of the timeline: what is under it, and which commands it makes.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "model/lookup.h"
#include "viewer/core/track_path.h"
#include "viewer/timeline/timeline_panel.h"

namespace stepscope {
namespace {

constexpr float kClickSlop = 4;      // pixels before a press becomes a drag
constexpr float kSnapDistance = 10;  // pixels within which the timing tool catches an edge
constexpr float kEdgeGrip = 5;       // pixels around a brush's edge that resize it

void PushRange(const TimelineInput& input, TimeRange range) {
  CommandArgs args;
  args.range = range;
  input.panel.commands.Push("view.set_range", std::move(args));
}

void PushNumber(const TimelineInput& input, const char* id, double number) {
  CommandArgs args;
  args.number = number;
  input.panel.commands.Push(id, std::move(args));
}

}  // namespace

Ps TimelinePanel::TimeAt(float x) const {
  return ActiveAxis().At(static_cast<double>(x - geo_.rows.x));
}

TimelineHit TimelinePanel::HitTest(const TimelineInput& input, float x, float y) const {
  TimelineHit hit;
  const PlanRow* row = plan_.RowAt(y - geo_.rows.y);
  if (row == nullptr || !geo_.rows.Has(x, y)) return hit;
  const LayoutItem& item = layout_.items()[row->item];
  if (item.kind != ItemKind::kTrack) return hit;
  hit.run = item.run;
  hit.set = item.set;
  hit.item = row->item;
  hit.depth = row->depth;
  const TimeAxis& axis = axes_[item.run];
  const double column = std::floor(static_cast<double>(x - geo_.rows.x));
  const TimeRange pixel{axis.At(column), std::max(axis.At(column + 1), axis.At(column) + 1)};
  const auto try_lane = [&](const Lane& lane) {
    auto [first, last] = EventsIn(lane, pixel);
    if (first == last) {
      const auto near = EventAt(lane, axis.At(column + 0.5), axis.Length(2));
      if (!near) return false;
      first = *near;
      last = first + 1;
    }
    hit.lane = &lane;
    hit.first = first;
    hit.last = last;
    return true;
  };
  bool found = false;
  // Instants first: they are thin and lie on top.
  if (row->depth == 0) {
    for (const Lane& lane : InstantLanes(input.runs[item.run].Set(item.set), item))
      found = found || try_lane(lane);
  }
  if (!found && (row->lane == nullptr || !try_lane(*row->lane))) return {};
  uint32_t longest = hit.first;
  for (uint32_t i = hit.first; i < std::min(hit.last, hit.first + 4096); ++i) {
    if (hit.lane->dur[i] > hit.lane->dur[longest]) longest = i;
  }
  hit.event = {input.runs[item.run].id, item.set, RowAt(item, *hit.lane, longest)};
  return hit;
}

Ps TimelinePanel::Snap(const TimelineInput& input, float x, float y) const {
  const Ps t = TimeAt(x);
  const PlanRow* row = plan_.RowAt(y - geo_.rows.y);
  if (row == nullptr || row->lane == nullptr) return t;
  const Lane& lane = *row->lane;
  const LayoutItem& item = layout_.items()[row->item];
  const Ps reach = axes_[item.run].Length(static_cast<double>(kSnapDistance * geo_.unit));
  const auto [first, last] = EventsIn(lane, {SaturatingSub(t, reach), SaturatingAdd(t, reach)});
  if (last - first > 64) return t;  // folded: no edge the user could mean
  (void)input;
  Ps best = t, distance = reach + 1;
  for (uint32_t i = first; i < last; ++i) {
    for (Ps edge : {lane.start[i], lane.end(i)}) {
      const Ps d = edge > t ? edge - t : t - edge;
      if (d < distance) {
        distance = d;
        best = edge;
      }
    }
  }
  return best;
}

void TimelinePanel::HandleInput(const TimelineInput& input) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos({geo_.all.x, geo_.all.y});
  ImGui::SetNextItemAllowOverlap();  // tool buttons lie on top
  ImGui::InvisibleButton("##canvas", {std::max(1.0f, geo_.all.w), std::max(1.0f, geo_.all.h)});
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelX);
  const bool hovered = ImGui::IsItemHovered();
  const float x = io.MousePos.x, y = io.MousePos.y;
  const bool over_canvas = x >= geo_.rows.x && x < geo_.rows.x + geo_.rows.w;
  feedback_.cursor_valid = hovered && over_canvas && y >= geo_.ruler.y;
  if (feedback_.cursor_valid) feedback_.cursor = TimeAt(x);
  if (feedback_.cursor_valid && input.panel.pointed != nullptr)
    input.panel.pointed->Set(feedback_.cursor);
  hit_ = hovered && drag_ == Drag::kNone ? HitTest(input, x, y) : TimelineHit{};
  if (hovered) HandleWheel(input);
  if (ImGui::IsItemActivated()) BeginDrag(input);
  if (ImGui::IsItemActive() && pressed_) ContinueDrag(input);
  if (pressed_ && !ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
      !ImGui::IsMouseDown(ImGuiMouseButton_Middle))
    EndDrag(input);
  if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right))
    OpenMenu(input);
  const float grip = geo_.labels.x + geo_.labels.w;
  if (drag_ == Drag::kLabelWidth ||
      (hovered && std::abs(x - grip) < kEdgeGrip && y >= geo_.labels.y)) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  if (hovered && geo_.rows.Has(x, y) && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) &&
      hit_.valid()) {
    PushNumber(input, "view.zoom_selection", 1);  // a double click is to come closer
  }
}

void TimelinePanel::HandleWheel(const TimelineInput& input) {
  const ImGuiIO& io = ImGui::GetIO();
  const float wheel = io.MouseWheel, sideways = io.MouseWheelH;
  if (wheel == 0 && sideways == 0) return;
  const float x = io.MousePos.x, y = io.MousePos.y;
  const TimeRange target = glides_[active_].target();
  if (sideways != 0 || io.KeyShift) {
    const float amount = sideways != 0 ? sideways : wheel;
    PushRange(input, ShiftRange(target, -static_cast<Ps>(static_cast<double>(target.length()) *
                                                         0.1 * static_cast<double>(amount))));
    return;
  }
  const bool over_top = y < geo_.rows.y && x >= geo_.rows.x;
  const bool zooms = io.KeyCtrl != input.panel.settings.Bool("timeline.wheel_zooms");
  if (!over_top && (!zooms || x < geo_.rows.x)) {
    PushNumber(input, "view.scroll", static_cast<double>(-wheel * 3 * feedback_.row));
    return;
  }
  // The time under the mouse keeps its pixel in the target, wherever the glide is now.
  Ps anchor = 0;
  if (y < geo_.minimap.y + geo_.minimap.h) {
    const TimeAxis whole(minimap_.span(), static_cast<double>(geo_.minimap.w));
    anchor =
        std::clamp(whole.At(static_cast<double>(x - geo_.minimap.x)), target.begin, target.end);
  } else {
    anchor =
        TimeAxis(target, static_cast<double>(geo_.rows.w)).At(static_cast<double>(x - geo_.rows.x));
  }
  PushRange(input,
            ZoomRange(target, std::pow(1.25, static_cast<double>(-wheel)), anchor, 10, kMaxPs));
}

void TimelinePanel::BeginDrag(const TimelineInput& input) {
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x, y = io.MousePos.y;
  pressed_ = true;
  moved_ = false;
  press_x_ = last_x_ = x;
  press_y_ = last_y_ = y;
  press_range_ = glides_[active_].target();
  press_scroll_ = Scroll(input);
  drag_ = Drag::kNone;
  if (geo_.minimap.Has(x, y)) {
    const TimeAxis whole(minimap_.span(), static_cast<double>(geo_.minimap.w));
    const float begin = geo_.minimap.x + whole.ClippedX(press_range_.begin);
    const float end = geo_.minimap.x + whole.ClippedX(press_range_.end);
    drag_ = std::abs(x - begin) < kEdgeGrip ? Drag::kMinimapBegin
            : std::abs(x - end) < kEdgeGrip ? Drag::kMinimapEnd
                                            : Drag::kMinimap;
    if (drag_ == Drag::kMinimap && (x < begin || x > end)) {  // a click outside jumps there
      const Ps middle = whole.At(static_cast<double>(x - geo_.minimap.x));
      press_range_ = ShiftRange(
          press_range_, SaturatingSub(middle, press_range_.begin + press_range_.length() / 2));
      PushRange(input, press_range_);
    }
  } else if (geo_.scrollbar.Has(x, y)) {
    drag_ = Drag::kScrollbar;
  } else if (std::abs(x - (geo_.labels.x + geo_.labels.w)) < kEdgeGrip && y >= geo_.labels.y) {
    drag_ = Drag::kLabelWidth;
  }
}

void TimelinePanel::ContinueDrag(const TimelineInput& input) {
  const ImGuiIO& io = ImGui::GetIO();
  const float x = io.MousePos.x, y = io.MousePos.y;
  if (!moved_ && std::hypot(x - press_x_, y - press_y_) < kClickSlop && drag_ == Drag::kNone)
    return;
  const bool canvas = press_x_ >= geo_.rows.x && press_y_ >= geo_.ruler.y;
  if (!moved_ && drag_ == Drag::kNone && canvas) {
    const bool middle = ImGui::IsMouseDown(ImGuiMouseButton_Middle);
    const Tool tool = io.KeyShift ? Tool::kTiming : middle ? Tool::kPan : input.panel.view.tool;
    if (tool == Tool::kPan || (tool == Tool::kSelect && press_y_ < geo_.rows.y)) drag_ = Drag::kPan;
    if (tool == Tool::kZoom) drag_ = Drag::kZoom;
    if (tool == Tool::kTiming) drag_ = Drag::kMeasure;
    press_time_ = drag_ == Drag::kMeasure ? Snap(input, press_x_, press_y_) : TimeAt(press_x_);
  }
  moved_ = true;
  if (x == last_x_ && y == last_y_) return;
  last_x_ = x;
  last_y_ = y;
  const double dx = static_cast<double>(x - press_x_);
  switch (drag_) {
    case Drag::kPan: {
      const TimeAxis axis(press_range_, static_cast<double>(geo_.rows.w));
      PushRange(input, ShiftRange(press_range_, -axis.Length(dx)));
      PushNumber(input, "view.scroll",
                 press_scroll_ - static_cast<double>(y - press_y_) - Scroll(input));
      break;
    }
    case Drag::kMeasure: {
      const Ps t = Snap(input, x, y);
      CommandArgs args;
      args.range = {std::min(t, press_time_), std::max(t, press_time_)};
      input.panel.commands.Push("measure.set", std::move(args));
      break;
    }
    case Drag::kMinimap:
    case Drag::kMinimapBegin:
    case Drag::kMinimapEnd: {
      const TimeAxis whole(minimap_.span(), static_cast<double>(geo_.minimap.w));
      const Ps by = whole.Length(dx);
      TimeRange range = press_range_;
      if (drag_ != Drag::kMinimapEnd) range.begin = SaturatingAdd(range.begin, by);
      if (drag_ != Drag::kMinimapBegin) range.end = SaturatingAdd(range.end, by);
      if (!range.empty()) PushRange(input, range);
      break;
    }
    case Drag::kScrollbar: {
      const double per_px = layout_.height() / std::max(1.0, static_cast<double>(geo_.scrollbar.h));
      PushNumber(input, "view.scroll",
                 press_scroll_ + static_cast<double>(y - press_y_) * per_px - Scroll(input));
      break;
    }
    case Drag::kLabelWidth: {
      CommandArgs args;
      args.text =
          "timeline.label_width=" + std::to_string((x - geo_.labels.x) / ImGui::GetFontSize());
      input.panel.commands.Push("app.set", std::move(args));
      break;
    }
    default:
      break;
  }
}

void TimelinePanel::EndDrag(const TimelineInput& input) {
  const float x = ImGui::GetIO().MousePos.x;
  if (!moved_ && drag_ == Drag::kNone) {
    Click(input);
  } else if (drag_ == Drag::kZoom && moved_) {
    const Ps t = TimeAt(x);
    if (std::abs(x - press_x_) > kClickSlop)
      PushRange(input, {std::min(t, press_time_), std::max(t, press_time_)});
  }
  pressed_ = false;
  drag_ = Drag::kNone;
}

std::string TimelinePanel::ItemPath(const TimelineInput& input, const LayoutItem& item) {
  const TimelineRun& run = input.runs[item.run];
  return item.kind == ItemKind::kPlaneHeading
             ? PlanePath(*run.trace, item.plane)
             : TrackPath(*run.trace, run.Set(item.set), item.track);
}

void TimelinePanel::Click(const TimelineInput& input) {
  const double content_y = static_cast<double>(press_y_ - geo_.rows.y) + Scroll(input);
  const size_t index = layout_.At(content_y);
  const bool on_rows = press_y_ >= geo_.rows.y && index < layout_.items().size();
  if (on_rows && press_x_ < geo_.rows.x) {
    const LayoutItem& item = layout_.items()[index];
    if (!item.collapsible) return;
    CommandArgs args;
    args.run = input.runs[item.run].id;
    args.text = ItemPath(input, item);
    input.panel.commands.Push("view.toggle_collapse", std::move(args));
    return;
  }
  if (geo_.strip.Has(press_x_, press_y_)) {
    const Ps t = TimeAt(press_x_);
    for (const StepMarker& step : input.runs[active_].Steps()) {
      if (!step.range.Contains(t)) continue;
      const Ps margin = step.range.length() / 20;
      PushRange(input, {step.range.begin - margin, step.range.end + margin});
    }
    return;
  }
  if (!geo_.rows.Has(press_x_, press_y_)) return;
  const TimelineHit hit = HitTest(input, press_x_, press_y_);
  CommandArgs args;
  args.event = hit.event;
  input.panel.commands.Push("select.event", std::move(args));
}

}  // namespace stepscope
