// The part of TimelinePainter that draws around and over the rows: ruler, steps, marks, selection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "model/analysis/intervals/step_number.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/step_markers.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/painting/ruler.h"
#include "viewer/timeline/painting/timeline_painter.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

// Returns which of the compared profiles this one is: "A", "B" or nothing.
const char* TimelinePainter::SideOf(const Profile& profile) const {
  const Profile* compared =
      FindComparedProfile(in_.all_profiles.empty() ? in_.profiles : in_.all_profiles, in_.view);
  if (compared == nullptr) return "";
  if (in_.view.baseline == profile.id) return "A, baseline";
  return compared->id == profile.id ? "B" : "";
}

// Draws the profile's name where each profile has rows of its own. The active one stands out.
void TimelinePainter::DrawTitle() const {
  const Box& box = geo_.title;
  if (box.h <= 0) return;
  const Profile& profile = in_.profiles[model_.active()];
  const bool active = profile.id == in_.view.active;
  pen_.Box(box.x, box.y, box.w, box.h, theme_[active ? Role::kAccentBg : Role::kRaised]);
  if (active) pen_.Box(box.x, box.y, box.w, pen_.Px(2), theme_[Role::kAccent]);
  pen_.HLine(box.x, box.right(), box.bottom() - 1, theme_[Role::kLine]);
  const float y = box.y + std::floor((box.h - pen_.Px(TypeSize::kSmall)) / 2) - 1;
  const float right = pen_.TextRight(in_.fonts.ui, kSmallText, box.right() - pen_.Px(12), y + 1,
                                     theme_[Role::kText2], SideOf(profile)) -
                      pen_.Px(10);
  pen_.TextFit(in_.fonts.bold, TypeSize::kSmall, box.x + pen_.Px(12), right, y,
               theme_[active ? Role::kAccent : Role::kText], profile.label);
}

void TimelinePainter::DrawRuler() const {
  const float end = geo_.ruler.right();
  const float base = geo_.ruler.y + geo_.ruler.h - 1;
  pen_.PushClip(geo_.ruler.x, geo_.ruler.y, end, base + 1);
  const Ticks ticks = MakeTicks(axis_, static_cast<double>(pen_.Px(110)));
  for (Ps t = ticks.first; t < axis_.view().end; t = SaturatingAdd(t, ticks.minor)) {
    const float x = geo_.ruler.x + axis_.ClippedX(t);
    const bool major = (t - ticks.base) % ticks.step == 0;
    pen_.VLine(x, base - pen_.Px(major ? 8 : 4), base, theme_[major ? Role::kText3 : Role::kLine]);
    if (!major) continue;
    const std::string label = TickLabel(ticks, t);
    if (x + pen_.Px(5) + pen_.Width(in_.fonts.mono, kSmallText, label) < end) {
      pen_.Text(in_.fonts.mono, kSmallText, x + pen_.Px(5), geo_.ruler.y + pen_.Px(2),
                theme_[Role::kText3], label);
    }
  }
  pen_.PopClip();
  pen_.HLine(geo_.ruler.x, end, base, theme_[Role::kLine]);
}

// Draws the time at the corner of the ruler, right of `left`.
void TimelinePainter::DrawCorner(float left) const {
  const float right = geo_.rows.x - pen_.Px(12);
  if (right - left < pen_.Px(70)) return;
  const Ticks ticks = MakeTicks(axis_, static_cast<double>(pen_.Px(110)));
  std::string corner = CornerLabel(ticks, axis_);
  if (pen_.Width(in_.fonts.mono, kSmallText, corner) > right - left)
    corner = WithoutZeros(FormatDuration(axis_.view().begin, 6));
  pen_.TextRight(in_.fonts.mono, kSmallText, right, geo_.ruler.y + pen_.Px(4), theme_[Role::kText],
                 corner);
  if (geo_.step_rows > 1) return;  // the name of the first row of steps stands there
  pen_.TextRight(in_.fonts.ui, kSmallText, right, geo_.ruler.y + pen_.Px(22), theme_[Role::kText2],
                 ticks.relative ? "plus" : "left edge");
}

void TimelinePainter::DrawSteps() const {
  pen_.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.strip.bottom(), theme_[Role::kLine]);
  const std::vector<uint32_t> profiles = model_.StepProfiles(in_.profiles, in_.view);
  int row = 0;
  for (const uint32_t profile : profiles) {
    const Box box = geo_.StepRow(row++);
    if (profiles.size() > 1) {
      const std::string side = std::string("Steps of ") + SideOf(in_.profiles[profile])[0];
      pen_.TextRight(in_.fonts.ui, kSmallText, geo_.rows.x - pen_.Px(12), box.y + pen_.Px(2),
                     theme_[Role::kText2], side);
    }
    DrawStepsOf(profile, box);
  }
}

// Whether all steps that are whole in view have room for their names. Else all have numbers, so
// that steps of one row are written alike.
bool TimelinePainter::StepNamesFit(uint32_t profile, const Box& row) const {
  constexpr size_t kMost = 64;  // more never fit
  const std::span<const StepMarker> steps = in_.profiles[profile].Steps();
  const TimeAxis& axis = model_.axis(profile);
  const size_t first = FirstBarAt(steps, axis.view().begin);
  for (size_t i = first; i < steps.size(); ++i) {
    const TimeRange bar = BarOf(steps, i);
    if (bar.begin >= axis.view().end) return true;
    if (i - first > kMost) return false;
    if (bar.begin < axis.view().begin || bar.end > axis.view().end) continue;
    const float width = std::floor(row.x + axis.ClippedX(bar.end)) -
                        std::floor(row.x + axis.ClippedX(bar.begin)) - 1;
    if (pen_.Width(in_.fonts.bold, kSmallText, steps[i].label) > width - pen_.Px(14)) return false;
  }
  return true;
}

void TimelinePainter::DrawStepsOf(uint32_t profile, const Box& row) const {
  const float end = row.right();
  const std::span<const StepMarker> steps = in_.profiles[profile].Steps();
  const TimeAxis& axis = model_.axis(profile);
  pen_.PushClip(row.x, row.y, end, row.bottom());
  const float y = row.y + pen_.Px(1), height = row.h - pen_.Px(3);
  const Ps cursor = in_.view.Translate(in_.profiles[model_.active()].id, in_.profiles[profile].id,
                                       Cursor().value_or(kMinPs));
  const bool names_fit = StepNamesFit(profile, row);
  float drawn_to = row.x - 1;
  for (size_t i = FirstBarAt(steps, axis.view().begin); i < steps.size(); ++i) {
    const StepMarker* step = &steps[i];
    const TimeRange bar = BarOf(steps, i);
    if (bar.begin >= axis.view().end) break;
    const float a = std::max(row.x, std::floor(row.x + axis.ClippedX(bar.begin)) + 1);
    const float b = std::min(end, std::floor(row.x + axis.ClippedX(bar.end)));
    if (b <= drawn_to) continue;  // thousands of steps in view: one box per pixel
    const bool current = bar.Contains(cursor);
    const std::string time = BarText(*step, bar);
    pen_.Box(a, y, std::max(1.0f, b - a), height, theme_[current ? Role::kAccentBg : Role::kRaised],
             2, pen_.has_titles() ? step->label + " \u00b7 " + time : std::string());
    drawn_to = std::max(a + 1, b);
    const Rgba color = theme_[current ? Role::kAccent : Role::kText2];
    const float room = b - a - pen_.Px(14);
    const std::string_view number = LastDigits(step->label);
    const bool numbered = !names_fit && !number.empty();
    if (!numbered && pen_.Width(in_.fonts.bold, kSmallText, step->label) <= room) {
      pen_.Text(in_.fonts.bold, kSmallText, a + pen_.Px(8), y + pen_.Px(1), color, step->label);
    } else if (pen_.Width(in_.fonts.bold, kSmallText, number) <= b - a - pen_.Px(6)) {
      const float width = pen_.Width(in_.fonts.bold, kSmallText, number);
      pen_.Text(in_.fonts.bold, kSmallText, std::floor((a + b - width) / 2), y + pen_.Px(1), color,
                number);
    }
    const bool whole = bar.begin >= axis.view().begin && bar.end <= axis.view().end;
    const float names = pen_.Width(in_.fonts.bold, kSmallText, step->label) +
                        pen_.Width(in_.fonts.mono, kSmallText, time) + pen_.Px(28);
    if (b - a > std::max(pen_.Px(220), names) && whole) {
      pen_.TextRight(in_.fonts.mono, kSmallText, b - pen_.Px(10), y + pen_.Px(1),
                     theme_[Role::kText2], time);
    }
  }
  pen_.PopClip();
}

void TimelinePainter::DrawMarks() const {
  DrawFilter();
  DrawMarkers();
  DrawMeasure();
  DrawPath();
  DrawFlows();
  DrawCounterpart();
  DrawSelection();
}

// Dims the time that panels are not limited to.
void TimelinePainter::DrawFilter() const {
  const TimeRange filter = in_.view.FilterIn(in_.profiles[model_.active()].id);
  if (filter.empty()) return;
  const float top = geo_.strip.y, height = geo_.rows.bottom() - top;
  const float a = std::clamp(std::floor(geo_.rows.x + axis_.ClippedX(filter.begin)), geo_.rows.x,
                             geo_.rows.right());
  const float b =
      std::clamp(std::floor(geo_.rows.x + axis_.ClippedX(filter.end)), a, geo_.rows.right());
  const Rgba shade = theme_.Alpha(Role::kWindow, 0.72f);
  pen_.Box(geo_.rows.x, top, a - geo_.rows.x, height, shade);
  pen_.Box(b, top, geo_.rows.right() - b, height, shade);
  pen_.PushClip(geo_.rows.x, top, geo_.rows.right(), top + height);
  for (const float x : {a, b}) pen_.VLine(x, top, top + height, theme_[Role::kText3]);
  pen_.PopClip();
}

// A marker has a flag with its name on the ruler, and a line through all rows. A marked range is
// tinted.
void TimelinePainter::DrawMarkers() const {
  const ProfileViewState* state = in_.view.Find(in_.profiles[model_.active()].id);
  if (state == nullptr || state->markers.empty()) return;
  const float bottom = geo_.rows.bottom(), top = geo_.ruler.y;
  pen_.PushClip(geo_.rows.x, top, geo_.rows.right(), bottom);
  for (const Marker& marker : state->markers) {
    const float a = std::floor(geo_.rows.x + axis_.ClippedX(marker.range.begin));
    const float b = std::floor(geo_.rows.x + axis_.ClippedX(marker.range.end));
    if (b < geo_.rows.x || a >= geo_.rows.right()) continue;
    const Rgba color = MarkerColor(theme_, marker.color);
    if (b > a) pen_.Box(a, geo_.rows.y, b - a, geo_.rows.h, WithAlpha(color, 0.08f));
    if (b > a) pen_.Box(a, geo_.ruler.bottom() - pen_.Px(3), b - a, pen_.Px(2), color);
    for (const float x : {a, b}) pen_.VLine(x, top, bottom, WithAlpha(color, 0.8f));
    DrawFlag(marker, a, color);
  }
  pen_.PopClip();
}

void TimelinePainter::DrawFlag(const Marker& marker, float x, Rgba color) const {
  constexpr float kMostWidth = 180;
  const float height = pen_.Px(15), y = geo_.ruler.bottom() - height - 1;
  const std::string_view name = marker.name;
  const float text = std::min(pen_.Width(in_.fonts.bold, kSmallText, name), pen_.Px(kMostWidth));
  const float width = name.empty() ? pen_.Px(9) : text + pen_.Px(10);
  pen_.Box(x, y, width, height, color, pen_.Px(2));
  if (name.empty()) return;
  pen_.TextFit(in_.fonts.bold, kSmallText, x + pen_.Px(5), x + pen_.Px(5) + text + 1, y,
               theme_.TextOn(color), name);
}

void TimelinePainter::DrawMeasure() const {
  const float bottom = geo_.rows.y + geo_.rows.h;
  pen_.PushClip(geo_.rows.x, geo_.ruler.y, geo_.rows.x + geo_.rows.w, bottom);
  if (const auto marks = interaction_ != nullptr ? interaction_->zoom_marks() : std::nullopt) {
    const auto [a, b] = *marks;
    pen_.Box(a, geo_.rows.y, b - a, geo_.rows.h, theme_.Alpha(Role::kAccent, 0.15f));
    for (float x : {a, b}) pen_.VLine(x, geo_.ruler.y, bottom, theme_[Role::kAccent]);
  }
  const TimeRange measured = in_.view.MeasuredIn(in_.profiles[model_.active()].id);
  if (!measured.empty()) {
    const float a = std::floor(geo_.rows.x + axis_.ClippedX(measured.begin));
    const float b = std::floor(geo_.rows.x + axis_.ClippedX(measured.end));
    for (float x : {a, b}) pen_.VLine(x, geo_.strip.y, bottom, theme_[Role::kAccent]);
    const std::string text = WithoutZeros(FormatDuration(measured.length(), 5));
    const float width = pen_.Width(in_.fonts.mono_bold, kSmallText, text) + pen_.Px(16);
    const float left = std::floor(PlaceAround((a + b) / 2, width, geo_.rows.x, geo_.rows.right()));
    // The arrow lies between ruler and steps, and its length on the ruler: names of steps stay
    // readable.
    const float y = geo_.ruler.y + pen_.Px(2), height = pen_.Px(17), middle = geo_.strip.y;
    pen_.HLine(a, b, middle, theme_[Role::kAccent]);
    pen_.Box(left, y, width, height, theme_[Role::kAccent], pen_.Px(3));
    pen_.Text(in_.fonts.mono_bold, kSmallText, left + pen_.Px(8), y + pen_.Px(1),
              theme_.TextOn(theme_[Role::kAccent]), text);
    if (b - a > width + pen_.Px(16)) {
      const float h = pen_.Px(3), w = pen_.Px(6);
      pen_.Triangle({a + 1, middle}, {a + 1 + w, middle - h}, {a + 1 + w, middle + h},
                    theme_[Role::kAccent]);
      pen_.Triangle({b, middle}, {b - w, middle - h}, {b - w, middle + h}, theme_[Role::kAccent]);
    }
  }
  pen_.PopClip();
}

// Draws the critical path: a frame around each part, and lines from one to the next.
void TimelinePainter::DrawPath() const {
  constexpr float kFramed = 4;  // narrower ones are filled
  const PathView& path = model_.path();
  const Rgba color = theme_[Role::kWarning], ground = theme_.Alpha(Role::kPanel, 0.8f);
  const float width = pen_.Px(2);
  const auto clip = [&](bool sticks) {
    const Box area = sticks ? geo_.rows : model_.rows_below_sticky();
    pen_.PushClip(area.x, area.y, area.right(), area.bottom());
  };
  for (const PathLine& line : path.lines()) {
    clip(line.sticks);
    pen_.Line({line.x0, line.y0}, {line.x1, line.y1}, ground, width + 2);
    pen_.Line({line.x0, line.y0}, {line.x1, line.y1}, color, width);
    pen_.PopClip();
  }
  for (const PathBox& box : path.boxes()) {
    clip(box.sticks);
    if (box.w < kFramed) {
      pen_.Box(box.x, box.y, std::max(1.0f, box.w), box.h, color);
    } else {
      pen_.Frame(box.x, box.y, box.w, box.h, color, 0, width);
    }
    pen_.PopClip();
  }
}

void TimelinePainter::DrawArrow(const FlowLine& line, float width) const {
  const Box &from = line.from, &to = line.to;
  const Rgba color = theme_[line.kind == FlowKind::kLaunch ? Role::kText : Role::kAccent];
  const bool up = to.y < from.y;
  const auto [begin, end] = ArrowEnds(line, pen_.Px(6));
  const ImVec2 a(begin, up ? from.y : from.y + from.h);
  const ImVec2 b(end, up ? to.y + to.h + 2 : to.y - 2);
  const float bend =
      std::clamp(std::abs(b.y - a.y) * 0.5f, pen_.Px(20), pen_.Px(120)) * (up ? -1.0f : 1.0f);
  const ImVec2 c1(a.x, a.y + bend), c2(b.x, b.y - bend);
  pen_.Curve(a, c1, c2, b, theme_.Alpha(Role::kPanel, 0.8f), width + 2.9f);
  pen_.Curve(a, c1, c2, b, color, width);
  const float head = pen_.Px(5) * (up ? 1.0f : -1.0f), half = pen_.Px(4);
  pen_.Triangle(b, {b.x + half, b.y + head * 1.6f}, {b.x - half, b.y + head * 1.6f}, color);
  pen_.Disc(a, width + 2.9f, theme_[Role::kPanel]);
  pen_.Disc(a, width + 1.6f, color);
}

// A stub is a button beside the event, with a triangle that points to the others.
void TimelinePainter::DrawStub(const FlowStub& stub, float width) const {
  const Rgba color = theme_[stub.kind == FlowKind::kLaunch ? Role::kText : Role::kAccent];
  const float r = stub.box.w / 2, size = r * 0.55f;
  const ImVec2 c(stub.box.x + r, stub.box.y + r);
  pen_.Line({stub.x, stub.y}, c, theme_.Alpha(Role::kPanel, 0.8f), width + 2.9f);
  pen_.Line({stub.x, stub.y}, c, color, width);
  const bool hot = interaction_ != nullptr && interaction_->stub() == &stub;
  pen_.Disc(c, r, theme_[hot ? Role::kAccent : Role::kRaised]);
  pen_.Circle(c, r, color, width);
  const Rgba inside = hot ? theme_.TextOn(theme_[Role::kAccent]) : color;
  const float dx = static_cast<float>(stub.dx), dy = static_cast<float>(stub.dy);
  if (stub.dx != 0) {
    pen_.Triangle({c.x + dx * size, c.y}, {c.x - dx * size * 0.6f, c.y - size},
                  {c.x - dx * size * 0.6f, c.y + size}, inside);
  } else {
    pen_.Triangle({c.x, c.y + dy * size}, {c.x - size, c.y - dy * size * 0.6f},
                  {c.x + size, c.y - dy * size * 0.6f}, inside);
  }
}

void TimelinePainter::DrawFlowsOf(const EventFlows& flows, float width) const {
  const Box below = model_.rows_below_sticky();
  for (const FlowLine& line : flows.lines()) {
    const Box& area = line.from.sticks || line.to.sticks ? geo_.rows : below;
    pen_.PushClip(area.x, area.y, area.right(), area.bottom());
    DrawArrow(line, width);
    pen_.PopClip();
  }
  for (const FlowStub& stub : flows.stubs()) DrawStub(stub, width);
}

void TimelinePainter::DrawFlows() const {
  if (interaction_ != nullptr) DrawFlowsOf(model_.hovered_flows(), 1.0f);
  DrawFlowsOf(model_.flows(), 1.6f);
}

// Frames the counterpart in the other profile. If it lies outside the view, a mark says on which
// side.
void TimelinePainter::DrawCounterpart() const {
  const std::optional<EventPlace> place = model_.FindPlace(in_.profiles, in_.counterpart);
  if (!place) return;
  const Box &box = *place, area = model_.ClipOf(*place);
  pen_.PushClip(area.x, area.y, area.right(), area.bottom());
  if (const bool left = box.right() < area.x; left || box.x >= area.right()) {
    const float x = left ? area.x + 2 : area.right() - 2, y = box.y + std::floor(box.h / 2);
    const float w = pen_.Px(left ? 9 : -9), h = pen_.Px(7);
    pen_.Triangle({x, y}, {x + w, left ? y - h : y + h}, {x + w, left ? y + h : y - h},
                  theme_[Role::kAccent]);
    pen_.PopClip();
    return;
  }
  pen_.Frame(box.x - 2, box.y - 2, box.w + 4, box.h + 4, theme_[Role::kPanel], 2, 1);
  pen_.Frame(box.x - 1, box.y - 1, box.w + 2, box.h + 2, theme_[Role::kAccent], 1, 2);
  pen_.PopClip();
}

// The part of TimelinePainter that draws over the rows: measurement, selection, arrows, cursor.
void TimelinePainter::DrawSelection() const {
  const std::optional<EventPlace> place = model_.FindPlace(in_.profiles, in_.view.selected);
  if (!place) return;
  const Box &box = *place, area = model_.ClipOf(*place);
  pen_.PushClip(area.x, area.y, area.right(), area.bottom());
  pen_.Frame(box.x - 2, box.y - 2, box.w + 4, box.h + 4, theme_[Role::kPanel], 2, 1);
  pen_.Frame(box.x - 1, box.y - 1, box.w + 2, box.h + 2, theme_[Role::kText], 1, 2);
  pen_.PopClip();
}

// Frames of the same name lie under the labels.
void TimelinePainter::DrawSameName(bool sticks) const {
  constexpr float kFramed = 6;  // narrower ones are only lighter
  for (const PlanBox& box : model_.same_name()) {
    if (box.sticks != sticks) continue;
    const float x = geo_.rows.x + box.x, y = geo_.rows.y + box.y;
    pen_.Box(x, y, box.w, box.h, theme_.Alpha(Role::kText, 0.22f));
    if (box.w >= kFramed) pen_.Frame(x, y, box.w, box.h, theme_[Role::kText]);
  }
}

// Draws what the colours and the hatching of slices mean while two profiles are compared.
void TimelinePainter::DrawTintLegend() const {
  if (!plan_.patterns() || !in_.legend) return;
  struct Entry {
    NameChange::Kind kind;
    const char* text;
  };
  constexpr Entry kEntries[] = {{NameChange::Kind::kSlower, "slower in B"},
                                {NameChange::Kind::kFaster, "faster in B"},
                                {NameChange::Kind::kSame, "same"},
                                {NameChange::Kind::kOnlyHere, "only in this one"}};
  const float swatch = pen_.Px(20), gap = pen_.Px(14), height = pen_.Px(22), inner = pen_.Px(6);
  float width = gap;
  for (const Entry& entry : kEntries)
    width += swatch + inner + pen_.Width(in_.fonts.ui, kSmallText, entry.text) + gap;
  if (width > geo_.rows.w || height * 3 > geo_.rows.h) return;
  float x = geo_.rows.right() - width - pen_.Px(6);
  const float y = geo_.rows.bottom() - height - pen_.Px(6), h = pen_.Px(12);
  pen_.Box(x, y, width, height, theme_[Role::kRaised], pen_.Px(4));
  pen_.Frame(x, y, width, height, theme_[Role::kLine], pen_.Px(4));
  x += gap;
  const TintColors colors(theme_);
  for (const Entry& entry : kEntries) {
    const Rgba color = colors({entry.kind, NameChange::kMostStrength, 0, 0});
    const float top = y + std::floor((height - h) / 2);
    pen_.Box(x, top, swatch, h, color | 0xff000000u);
    pen_.Hatch(TintColors::PatternOf(entry.kind), {x, top}, {x + swatch, top + h},
               theme_[Role::kPanel]);
    x += swatch + inner;
    x = pen_.Text(in_.fonts.ui, kSmallText, x, y + pen_.Px(3), theme_[Role::kText], entry.text);
    x += gap;
  }
}

}  // namespace stepscope
