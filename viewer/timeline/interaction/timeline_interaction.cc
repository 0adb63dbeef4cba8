#include "viewer/timeline/interaction/timeline_interaction.h"

#include <algorithm>
#include <cmath>

#include "viewer/core/profiles/step_markers.h"
#include "viewer/core/state/settings.h"
#include "viewer/timeline/layout/track_list.h"

namespace stepscope {
namespace {

constexpr float kClickSlop = 4;        // pixels before a press becomes a drag
constexpr float kEdgeGrip = 5;         // pixels around an edge that move it
constexpr float kScrollMargin = 14;    // pixels at the edges where a dragged track scrolls
constexpr double kWheelSeconds = 0.3;  // at most, between two turns of the wheel in one gesture

CommandArgs OfRange(const TimelineFrame& frame, TimeRange range) {
  return {.range = range, .profile = frame.OwnProfile()};
}

CommandArgs OfPixels(const TimelineFrame& frame, double pixels) {
  return {.profile = frame.OwnProfile(), .pixels = pixels};
}

TimeRange Ordered(Ps a, Ps b) { return {std::min(a, b), std::max(a, b)}; }

std::string PathOf(std::span<const Profile> profiles, const LayoutItem& item) {
  return PathOf(
      profiles[item.profile],
      TrackEntry{.kind = item.kind, .set = item.set, .plane = item.plane, .track = item.track});
}

// Returns what a click on the label of an item folds or unfolds; empty if it has nothing to fold.
std::string FoldedBy(const TimelineFrame& frame, const TimelineModel& model, size_t index,
                     float y) {
  const LayoutItem& item = model.layout().items()[index];
  const Profile& profile = frame.profiles[item.profile];
  const Box frames = model.FramesBoxOf(index);
  if (y >= frames.y && y < frames.bottom()) return FramesPathOf(profile, item);
  return item.collapsible ? FoldPathOf(profile, item) : std::string();
}

}  // namespace

bool TimelineInteraction::direct() const {
  return drag_ == Drag::kPan || drag_ == Drag::kMinimap || drag_ == Drag::kMinimapBegin ||
         drag_ == Drag::kMinimapEnd || drag_ == Drag::kMinimapRange;
}

bool TimelineInteraction::gesture() const { return direct() || quiet_in_ > 0; }

std::optional<std::pair<float, float>> TimelineInteraction::zoom_marks() const {
  if (drag_ != Drag::kZoom || !moved_) return std::nullopt;
  return std::minmax(press_x_, last_x_);
}

std::optional<Box> TimelineInteraction::box() const {
  if (drag_ != Drag::kBox || !moved_) return std::nullopt;
  const auto [x0, x1] = std::minmax(press_x_, last_x_);
  const auto [y0, y1] = std::minmax(press_y_, last_y_);
  return Box{x0, y0, x1 - x0, y1 - y0};
}

std::optional<size_t> TimelineInteraction::dragged() const {
  return drag_ == Drag::kTrack ? std::optional(dragged_) : std::nullopt;
}

std::optional<TimelineMenuTarget> TimelineInteraction::TakeMenu() {
  return std::exchange(menu_, std::nullopt);
}

void TimelineInteraction::Update(const TimelineFrame& frame, const TimelineModel& model,
                                 const TimelineMouse& mouse, float font_size,
                                 CommandQueue* commands) {
  const Input in{frame, model, mouse, font_size, *commands};
  const TimelineGeometry& geo = model.geometry();
  settling_ = quiet_in_ > 0;
  quiet_in_ = frame.animate ? std::max(0.0, quiet_in_ - frame.seconds) : 0;
  cursor_.reset();
  if (mouse.over && mouse.x >= geo.rows.x && mouse.x < geo.rows.right() && mouse.y >= geo.ruler.y)
    cursor_ = model.TimeAt(mouse.x);
  Hover(in);
  if (mouse.over) Wheel(in);
  if (mouse.pressed) Press(in);
  if (drag_ == Drag::kTrack && mouse.cancel) pressed_ = false, drag_ = Drag::kNone;
  if (pressed_ && mouse.held) Move(in);
  if (drag_ == Drag::kTrack) MoveTrack(in);
  if (pressed_ && !mouse.held) Release(in);
  if (mouse.over && mouse.right_clicked) RightClick(in);
  resizes_ = drag_ == Drag::kLabelWidth ||
             (mouse.over && drag_ == Drag::kNone && mouse.y >= geo.labels.y &&
              std::abs(mouse.x - geo.labels.right()) < kEdgeGrip) ||
             (mouse.over && drag_ == Drag::kNone && OtherEdge(in).has_value());
  if (mouse.over && mouse.double_clicked && geo.rows.Has(mouse.x, mouse.y) && hit_.valid())
    commands->Push("view.zoom_selection", {.profile = frame.OwnProfile(), .closer_only = true});
}

// A stub lies over events. Its event stays lit while the mouse moves to the stub.
void TimelineInteraction::Hover(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  hit_ = {};
  stub_ = nullptr;
  if (mouse.over && drag_ == Drag::kNone) stub_ = model.StubAt(mouse.x, mouse.y);
  if (stub_ != nullptr) return;
  lit_ = {};
  if (!mouse.over || drag_ != Drag::kNone) return;
  hit_ = model.HitTest(frame.profiles, mouse.x, mouse.y);
  if (hit_.count() == 1 && hit_.valid()) lit_ = hit_.event;
}

void TimelineInteraction::Wheel(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  if (mouse.wheel == 0 && mouse.sideways == 0) return;
  const TimelineGeometry& geo = model.geometry();
  const TimeRange target = model.target();
  if (mouse.sideways != 0 || mouse.shift) {
    const float amount = mouse.sideways != 0 ? mouse.sideways : mouse.wheel;
    const double by = -0.1 * static_cast<double>(target.length()) * static_cast<double>(amount);
    commands.Push("view.set_range", OfRange(frame, ShiftRange(target, static_cast<Ps>(by))));
    quiet_in_ = kWheelSeconds;
    return;
  }
  const bool over_top = mouse.y < geo.rows.y && mouse.x >= geo.rows.x;
  const bool zooms = mouse.ctrl != frame.settings.wheel_zooms;
  if (!over_top && (!zooms || mouse.x < geo.rows.x)) {
    const double row = static_cast<double>(model.layout().sizes().row);
    commands.Push("view.scroll", OfPixels(frame, static_cast<double>(-mouse.wheel) * 3 * row));
    return;
  }
  // The time under the mouse keeps its pixel in the target, however far the animation is.
  Ps anchor = 0;
  if (mouse.y < geo.minimap.bottom()) {
    anchor = std::clamp(model.MinimapAxis().At(static_cast<double>(mouse.x - geo.minimap.x)),
                        target.begin, target.end);
  } else {
    anchor = TimeAxis(target, static_cast<double>(geo.rows.w))
                 .At(static_cast<double>(mouse.x - geo.rows.x));
  }
  const double factor = std::pow(1.25, static_cast<double>(-mouse.wheel));
  commands.Push("view.set_range", OfRange(frame, ZoomRange(target, factor, anchor, 10, kMaxPs)));
  quiet_in_ = kWheelSeconds;
}

void TimelineInteraction::Press(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  const TimelineGeometry& geo = model.geometry();
  pressed_ = true;
  moved_ = false;
  right_ = mouse.right;
  press_x_ = last_x_ = mouse.x;
  press_y_ = last_y_ = mouse.y;
  press_range_ = model.target();
  press_scroll_ = model.scroll();
  drag_ = Drag::kNone;
  if (frame.apart()) Activate(in, 0);
  if (geo.minimap.Has(mouse.x, mouse.y)) {
    PressMinimap(in);
  } else if (geo.scrollbar.Has(mouse.x, mouse.y)) {
    drag_ = Drag::kScrollbar;
  } else if (mouse.y >= geo.labels.y && std::abs(mouse.x - geo.labels.right()) < kEdgeGrip) {
    drag_ = Drag::kLabelWidth;
  } else if (const std::optional<Ps> other = OtherEdge(in)) {
    drag_ = Drag::kMeasure;
    press_time_ = *other;
  }
}

// Returns the edge of the measured range that stays, if the mouse is near the other one. This
// works above the rows, where nothing else can be dragged.
std::optional<Ps> TimelineInteraction::OtherEdge(const Input& in) const {
  const auto& [frame, model, mouse, font_size, commands] = in;
  const TimelineGeometry& geo = model.geometry();
  const TimeRange measured = frame.view.MeasuredIn(frame.profiles[model.active()].id);
  if (measured.empty() || mouse.x < geo.rows.x || mouse.y < geo.ruler.y || mouse.y >= geo.rows.y)
    return std::nullopt;
  if (std::abs(mouse.x - model.XOf(measured.begin)) < kEdgeGrip) return measured.end;
  if (std::abs(mouse.x - model.XOf(measured.end)) < kEdgeGrip) return measured.begin;
  return std::nullopt;
}

// Starts the drag that a press on the canvas became. The button, the keys held and the tool say
// which drag it is.
void TimelineInteraction::Begin(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  const bool rows = press_y_ >= model.geometry().rows.y;
  const Tool tool = mouse.right    ? Tool::kPan
                    : mouse.shift  ? Tool::kTiming
                    : mouse.middle ? Tool::kZoom
                                   : frame.view.tool;
  const bool box = rows && !mouse.right && !mouse.middle && !mouse.shift &&
                   (mouse.ctrl || tool == Tool::kSelect);
  if (tool == Tool::kPan || tool == Tool::kSelect) drag_ = Drag::kPan;
  if (tool == Tool::kZoom) drag_ = Drag::kZoom;
  if (tool == Tool::kTiming) drag_ = Drag::kMeasure;
  if (box) drag_ = Drag::kBox;
  const bool snaps = drag_ == Drag::kMeasure && !mouse.alt;
  press_time_ = snaps ? model.Snap(press_x_, press_y_) : model.TimeAt(press_x_);
}

// Selects the events that the box touches. While the box is drawn, only as many as a frame has
// time for.
void TimelineInteraction::SelectBox(const Input& in, bool done) const {
  constexpr size_t kWhileDrawn = 20'000;
  const std::optional<Box> marked = box();
  if (!marked) return;
  CommandArgs args;
  args.events =
      in.model.EventsIn(in.frame.profiles, *marked, done ? kMaxHighlightedEvents : kWhileDrawn);
  if (!done && args.events.size() >= kWhileDrawn) return;
  in.commands.Push("select.events", std::move(args));
}

// A press on an edge of the brush resizes it, a press inside moves it, a press outside draws
// another one. A brush that fills the minimap cannot be moved, so inside counts as outside. A
// brush that is too narrow for two edges has none.
void TimelineInteraction::PressMinimap(const Input& in) {
  const float x = in.mouse.x;
  const auto [begin, end] = in.model.Brush();
  const float width = in.model.geometry().minimap.w;
  const bool narrow = end - begin<4 * kEdgeGrip, fills = end - begin> width - 2 * kEdgeGrip;
  const bool near = x > begin - kEdgeGrip && x < end + kEdgeGrip;
  drag_ = Drag::kMinimapRange;
  if (narrow && near) {
    drag_ = Drag::kMinimap;
  } else if (!narrow && std::abs(x - begin) < kEdgeGrip) {
    drag_ = Drag::kMinimapBegin;
  } else if (!narrow && std::abs(x - end) < kEdgeGrip) {
    drag_ = Drag::kMinimapEnd;
  } else if (x > begin && x < end && !fills) {
    drag_ = Drag::kMinimap;
  }
  press_time_ = in.model.MinimapAxis().At(static_cast<double>(x - in.model.geometry().minimap.x));
}

void TimelineInteraction::Move(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  const TimelineGeometry& geo = model.geometry();
  const bool still = std::hypot(mouse.x - press_x_, mouse.y - press_y_) < kClickSlop;
  // A click on the minimap is no drag: its range would be a few pixels long.
  if (!moved_ && still && (drag_ == Drag::kNone || drag_ == Drag::kMinimapRange)) return;
  const bool canvas = press_x_ >= geo.rows.x && press_y_ >= geo.ruler.y;
  if (!moved_ && drag_ == Drag::kNone && canvas) Begin(in);
  if (!moved_ && drag_ == Drag::kNone && !mouse.right && !mouse.middle && BeginTrack(in))
    drag_ = Drag::kTrack;
  moved_ = true;
  if (mouse.x == last_x_ && mouse.y == last_y_) return;
  // Rows may have moved since the press, to keep what lies under the mouse, so the scroll starts
  // from now.
  const double step_y = static_cast<double>(mouse.y - last_y_);
  last_x_ = mouse.x;
  last_y_ = mouse.y;
  const double dx = static_cast<double>(mouse.x - press_x_);
  const double dy = static_cast<double>(mouse.y - press_y_);
  switch (drag_) {
    case Drag::kPan: {
      const TimeAxis axis(press_range_, static_cast<double>(geo.rows.w));
      commands.Push("view.set_range", OfRange(frame, ShiftRange(press_range_, -axis.Length(dx))));
      commands.Push("view.scroll", OfPixels(frame, -step_y));
      break;
    }
    case Drag::kMeasure:
      commands.Push("measure.set", OfRange(frame, Ordered(mouse.alt ? model.TimeAt(mouse.x)
                                                                    : model.Snap(mouse.x, mouse.y),
                                                          press_time_)));
      break;
    case Drag::kBox:
      SelectBox(in, false);
      break;
    case Drag::kScrollbar: {
      const double per_px =
          model.layout().height() / std::max(1.0, static_cast<double>(geo.scrollbar.h));
      commands.Push("view.scroll", OfPixels(frame, press_scroll_ + dy * per_px - model.scroll()));
      break;
    }
    case Drag::kLabelWidth:
      commands.PushSetting(&Settings::label_width, (mouse.x - geo.labels.x) / font_size);
      break;
    case Drag::kMinimap:
    case Drag::kMinimapBegin:
    case Drag::kMinimapEnd:
    case Drag::kMinimapRange:
      MoveMinimap(in);
      break;
    default:
      break;
  }
}

// A track is dragged by its name, beside the rows. A track without neighbours stays.
bool TimelineInteraction::BeginTrack(const Input& in) {
  const Layout& layout = in.model.layout();
  if (!in.model.geometry().labels.Has(press_x_, press_y_)) return false;
  dragged_ = in.model.ItemAt(press_y_);
  landing_.reset();
  if (dragged_ >= layout.items().size() || NeighboursOf(layout, dragged_).size() < 2) return false;
  dragged_item_ = layout.items()[dragged_];
  return true;
}

void TimelineInteraction::MoveTrack(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  landing_.reset();
  const std::span<const LayoutItem> items = model.layout().items();
  const bool is_there = dragged_ < items.size() && items[dragged_].kind == dragged_item_.kind &&
                        items[dragged_].profile == dragged_item_.profile &&
                        items[dragged_].plane == dragged_item_.plane &&
                        items[dragged_].track == dragged_item_.track;
  if (!is_there) {
    pressed_ = false;
    drag_ = Drag::kNone;
    return;
  }
  const Box& rows = model.geometry().rows;
  const double y = static_cast<double>(mouse.y - rows.y) + model.scroll();
  landing_ = LandingAt(model.layout(), model.sticky(), dragged_, y);
  const float margin = kScrollMargin * model.geometry().unit;
  const bool up = mouse.y < model.rows_below_sticky().y + margin && !items[dragged_].apart;
  const bool down = mouse.y > rows.bottom() - margin;
  if ((!up || model.scroll() <= 0) && (!down || model.scroll() >= model.max_scroll())) return;
  settling_ = true;  // it keeps scrolling while the mouse stays here
  commands.Push("view.scroll", OfPixels(frame, up ? -margin / 2.0 : margin / 2.0));
}

void TimelineInteraction::DropTrack(const Input& in) const {
  const std::span<const LayoutItem> items = in.model.layout().items();
  CommandArgs args;
  args.profile = in.frame.profiles[items[dragged_].profile].id;
  for (const size_t item : landing_->order)
    args.paths.push_back(PathOf(in.frame.profiles, items[item]));
  args.text = args.paths.back();
  in.commands.Push("track.place", std::move(args));
}

void TimelineInteraction::MoveMinimap(const Input& in) {
  const TimelineGeometry& geo = in.model.geometry();
  const TimeAxis whole = in.model.MinimapAxis();
  const Ps by = whole.Length(static_cast<double>(in.mouse.x - press_x_));
  TimeRange range = press_range_;
  if (drag_ == Drag::kMinimapRange) {
    const float x = std::clamp(in.mouse.x, geo.minimap.x, geo.minimap.right());
    range = Ordered(press_time_, whole.At(static_cast<double>(x - geo.minimap.x)));
  } else if (drag_ == Drag::kMinimap) {
    range = ShiftRange(range, by);
  } else {  // an edge that passes the other one becomes that one
    Ps& edge = drag_ == Drag::kMinimapBegin ? range.begin : range.end;
    edge = SaturatingAdd(edge, by);
    range = Ordered(range.begin, range.end);
  }
  if (!range.empty()) in.commands.Push("view.set_range", OfRange(in.frame, range));
}

void TimelineInteraction::Release(const Input& in) {
  if (!moved_ && drag_ == Drag::kNone) {
    if (!right_) Click(in);
  } else if (!moved_ && drag_ == Drag::kMinimapRange) {  // a click outside jumps there
    const Ps middle = SaturatingAdd(press_range_.begin, press_range_.length() / 2);
    in.commands.Push(
        "view.set_range",
        OfRange(in.frame, ShiftRange(press_range_, SaturatingSub(press_time_, middle))));
  } else if (drag_ == Drag::kZoom && moved_ && std::abs(in.mouse.x - press_x_) > kClickSlop) {
    in.commands.Push("view.set_range",
                     OfRange(in.frame, Ordered(in.model.TimeAt(in.mouse.x), press_time_)));
  }
  if (drag_ == Drag::kBox) SelectBox(in, true);
  if (drag_ == Drag::kTrack && landing_) DropTrack(in);
  pressed_ = false;
  drag_ = Drag::kNone;
}

void TimelineInteraction::Click(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  const TimelineGeometry& geo = model.geometry();
  if (const FlowStub* stub = model.StubAt(press_x_, press_y_)) {
    commands.Push("select.reveal", {.event = stub->to});
    return;
  }
  const size_t index = model.ItemAt(press_y_);
  const bool on_item = index < model.layout().items().size();
  if (on_item) Activate(in, model.layout().items()[index].profile);
  if (on_item && press_x_ < geo.rows.x) {
    std::string folds = FoldedBy(frame, model, index, press_y_);
    if (folds.empty()) return;
    const uint32_t profile = model.layout().items()[index].profile;
    commands.Push("view.toggle_collapse",
                  {.text = std::move(folds), .profile = frame.profiles[profile].id});
  } else if (geo.strip.Has(press_x_, press_y_)) {
    ClickStep(in);
  } else if (geo.rows.Has(press_x_, press_y_)) {
    const EventRef event = model.HitTest(frame.profiles, press_x_, press_y_).event;
    if (mouse.ctrl && !event.valid()) return;
    commands.Push(mouse.ctrl ? CommandId("select.toggle") : CommandId("select.event"),
                  {.event = event});
  }
}

// The clicked profile becomes the one that panels show and keys act on.
void TimelineInteraction::Activate(const Input& in, uint32_t profile) const {
  const ProfileId id = in.frame.profiles[profile].id;
  if (id != in.frame.view.active) in.commands.Push("run.activate", {.profile = id});
}

// Shows the step whose bar was clicked.
void TimelineInteraction::ClickStep(const Input& in) const {
  const TimelineGeometry& geo = in.model.geometry();
  uint32_t index = in.model.active();
  int row = 0;
  for (const uint32_t profile : in.model.StepProfiles(in.frame.profiles, in.frame.view))
    if (press_y_ >= geo.StepRow(row++).y) index = profile;
  const Profile& profile = in.frame.profiles[index];
  const Ps t = in.model.axis(index).At(static_cast<double>(press_x_ - geo.rows.x));
  const std::span<const StepMarker> steps = profile.Steps();
  for (size_t i = FirstBarAt(steps, t); i < steps.size(); ++i) {
    const TimeRange bar = BarOf(steps, i);
    if (bar.begin > t) return;
    if (!bar.Contains(t)) continue;
    const Ps margin = bar.length() / 20;
    in.commands.Push("view.set_range",
                     {.range = {SaturatingSub(bar.begin, margin), SaturatingAdd(bar.end, margin)},
                      .profile = profile.id});
    return;
  }
}

void TimelineInteraction::RightClick(const Input& in) {
  const auto& [frame, model, mouse, font_size, commands] = in;
  TimelineMenuTarget target;
  if (model.geometry().rows.Has(mouse.x, mouse.y) && hit_.valid()) {
    target.event = hit_.event;
    // The menu's commands act on the selection, so the clicked event is selected first.
    commands.Push("select.event", {.event = hit_.event});
  } else {
    const size_t index = model.ItemAt(mouse.y);
    if (index >= model.layout().items().size()) return;
    const LayoutItem& item = model.layout().items()[index];
    if (IsHeading(item.kind) && item.kind != LayoutItemKind::kPlaneHeading) return;
    target.profile = frame.profiles[item.profile].id;
    if (item.collapsible) target.folds = FoldPathOf(frame.profiles[item.profile], item);
    if (item.frames > 0) target.frames = FramesPathOf(frame.profiles[item.profile], item);
    target.path = PathOf(frame.profiles, item);
  }
  menu_ = std::move(target);
}

}  // namespace stepscope
