// The part of TimelinePainter that draws above the rows: minimap, ruler, tools, steps.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "model/analysis/intervals/step_number.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/step_markers.h"
#include "viewer/timeline/painting/ruler.h"
#include "viewer/timeline/painting/timeline_painter.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

struct ToolRow {
  Tool tool;
  const char* id;
  CommandId command;
  const char *icon, *fallback, *tooltip;
};
constexpr ToolRow kTools[] = {
    {Tool::kSelect, "##select", "tool.select", icon::kPointer, "1",
     "Select (1): drag selects a box of events"},
    {Tool::kPan, "##pan", "tool.pan", icon::kPan, "2", "Pan (2): drag moves"},
    {Tool::kZoom, "##zoom", "tool.zoom", icon::kZoom, "3",
     "Zoom (3): drag zooms to the range that it marks"},
    {Tool::kTiming, "##timing", "tool.timing", icon::kRange, "4",
     "Timing (4): drag measures, edges snap"},
};

}  // namespace

// Returns which of the compared profiles this one is: "A", "B" or nothing.
const char* TimelinePainter::SideOf(const Profile& profile) const {
  const Profile* compared = FindComparedProfile(
      in_.all_profiles.empty() ? in_.profiles : in_.all_profiles, in_.panel.view);
  if (compared == nullptr) return "";
  if (in_.panel.view.baseline == profile.id) return "A, baseline";
  return compared->id == profile.id ? "B" : "";
}

// Draws the profile's name where each profile has rows of its own. The active one stands out.
void TimelinePainter::DrawTitle() const {
  const Box& box = geo_.title;
  if (box.h <= 0) return;
  const Profile& profile = in_.profiles[model_.active()];
  const bool active = profile.id == in_.panel.view.active;
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

void TimelinePainter::DrawMinimap() const {
  if (geo_.minimap.h <= 0) return;
  const Box& bar = geo_.minimap_bar;
  const Minimap& minimap = model_.minimap();
  pen_.Box(bar.x, bar.y, bar.w, bar.h, theme_[Role::kWindow], 2);
  minimap.Draw(in_.sink, pen_.list, bar.x, bar.y, theme_[Role::kWindow]);
  DrawMinimapMarks();
  const auto [a, b] = model_.Brush();
  pen_.Box(bar.x, bar.y, a - bar.x, bar.h, theme_.Alpha(Role::kPanel, 0.55f));
  pen_.Box(b, bar.y, bar.right() - b, bar.h, theme_.Alpha(Role::kPanel, 0.55f));
  pen_.Frame(a, bar.y - 2, b - a, bar.h + 4, theme_[Role::kAccent], 2);
  for (float x : {a, b})
    pen_.Box(x - 2, bar.y + bar.h / 2 - pen_.Px(7), 4, pen_.Px(14), theme_[Role::kAccent], 2);
  const float left = geo_.all.x + pen_.Px(14), right = geo_.rows.x - pen_.Px(12);
  const TimeRange shown = minimap.span(), whole = in_.profiles[model_.active()].trace->span;
  const bool all = shown.begin <= whole.begin && shown.end >= whole.end;
  const bool both = minimap.rows() > 1;
  pen_.Text(in_.fonts.ui, TypeSize::kSmall, left, geo_.minimap.y + pen_.Px(6), theme_[Role::kText2],
            both  ? "A above B"
            : all ? "Whole trace"
                  : "Densest 99.9 %");
  pen_.Text(in_.fonts.mono, kSmallText, left, geo_.minimap.y + pen_.Px(24), theme_[Role::kText],
            WithoutZeros(FormatDuration(minimap.span().length(), 4)));
  const double part = 100.0 * static_cast<double>(axis_.view().length()) /
                      static_cast<double>(std::max<Ps>(1, minimap.span().length()));
  const std::string share = part > 99.9  ? "all in view"
                            : part < 0.1 ? fmt::format("{:.2g} % in view", part)
                                         : fmt::format("{:.1f} % in view", part);
  pen_.TextRight(in_.fonts.ui, kSmallText, right, geo_.minimap.y + pen_.Px(24),
                 theme_[Role::kText2], share);
  pen_.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.ruler.y - 1, theme_[Role::kLine]);
}

// Draws ticks where highlighted events begin. Neighbouring columns share a tick.
void TimelinePainter::DrawMinimapMarks() const {
  const std::vector<uint8_t>& columns = model_.minimap_marks().columns();
  const Box& bar = geo_.minimap_bar;
  const float height = pen_.Px(5);
  for (size_t x = 0; x < columns.size(); ++x) {
    if (columns[x] == 0) continue;
    const size_t first = x;
    while (x + 1 < columns.size() && columns[x + 1] != 0) ++x;
    const float width = std::max(pen_.Px(2), static_cast<float>(x - first + 1));
    pen_.Box(bar.x + static_cast<float>(first), bar.bottom() - height, width, height,
             theme_[Role::kWarning]);
  }
}

void TimelinePainter::DrawRuler() const {
  const float end = geo_.ruler.right();
  const float base = geo_.ruler.y + geo_.ruler.h - 1;
  pen_.list->PushClipRect({geo_.ruler.x, geo_.ruler.y}, {end, base + 1}, true);
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
  pen_.list->PopClipRect();
  pen_.HLine(geo_.ruler.x, end, base, theme_[Role::kLine]);
}

void TimelinePainter::DrawTools() const {
  const float size = pen_.Px(28), y = geo_.ruler.y + pen_.Px(7);
  float x = geo_.all.x + pen_.Px(8);
  for (const ToolRow& tool : kTools) {
    if (!in_.tools) break;
    ImGui::SetCursorScreenPos({x, y});
    if (IconButton(tool.id, tool.icon, tool.fallback, tool.tooltip,
                   in_.panel.view.tool == tool.tool, in_.fonts, theme_, size)) {
      in_.panel.commands.Push(tool.command);
    }
    x += size + pen_.Px(2);
  }
  const float right = geo_.rows.x - pen_.Px(12);
  if (right - x < pen_.Px(70)) return;
  const Ticks ticks = MakeTicks(axis_, static_cast<double>(pen_.Px(110)));
  std::string corner = CornerLabel(ticks, axis_);
  if (pen_.Width(in_.fonts.mono, kSmallText, corner) > right - x)
    corner = WithoutZeros(FormatDuration(axis_.view().begin, 6));
  pen_.TextRight(in_.fonts.mono, kSmallText, right, geo_.ruler.y + pen_.Px(4), theme_[Role::kText],
                 corner);
  if (geo_.step_rows > 1) return;  // the name of the first row of steps stands there
  pen_.TextRight(in_.fonts.ui, kSmallText, right, geo_.ruler.y + pen_.Px(22), theme_[Role::kText2],
                 ticks.relative ? "plus" : "left edge");
}

void TimelinePainter::DrawSteps() const {
  pen_.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.strip.bottom(), theme_[Role::kLine]);
  const std::vector<uint32_t> profiles = model_.StepProfiles(in_.profiles, in_.panel.view);
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
  pen_.list->PushClipRect({row.x, row.y}, {end, row.bottom()}, true);
  const float y = row.y + pen_.Px(1), height = row.h - pen_.Px(3);
  const Ps cursor =
      in_.panel.view.Translate(in_.profiles[model_.active()].id, in_.profiles[profile].id,
                               interaction_.cursor().value_or(kMinPs));
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
    pen_.Box(a, y, std::max(1.0f, b - a), height, theme_[current ? Role::kAccentBg : Role::kRaised],
             2);
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
    const std::string time = BarText(*step, bar);
    const float names = pen_.Width(in_.fonts.bold, kSmallText, step->label) +
                        pen_.Width(in_.fonts.mono, kSmallText, time) + pen_.Px(28);
    if (b - a > std::max(pen_.Px(220), names) && whole) {
      pen_.TextRight(in_.fonts.mono, kSmallText, b - pen_.Px(10), y + pen_.Px(1),
                     theme_[Role::kText2], time);
    }
  }
  pen_.list->PopClipRect();
}

}  // namespace stepscope
