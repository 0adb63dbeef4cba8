// The timeline's surfaces: rows, headings, names of tracks, ruler, tools, step markers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "viewer/timeline/timeline_panel.h"
#include "viewer/timeline/track_label.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr float kSmallText = 12;

struct ToolRow {
  Tool tool;
  const char *id, *command, *icon, *fallback, *tooltip;
};
constexpr ToolRow kTools[] = {
    {Tool::kSelect, "##select", "tool.select", icon::kPointer, "1", "Select (1)"},
    {Tool::kPan, "##pan", "tool.pan", icon::kPan, "2", "Pan (2): drag moves"},
    {Tool::kZoom, "##zoom", "tool.zoom", icon::kZoom, "3", "Zoom (3): drag marks what to zoom to"},
    {Tool::kTiming, "##timing", "tool.timing", icon::kRange, "4",
     "Timing (4): drag measures, edges snap"},
};

const char* PlaneIcon(PlaneKind kind) {
  return kind == PlaneKind::kHostThreads || kind == PlaneKind::kHostOther ? icon::kServer
                                                                          : icon::kChip;
}

// "12" of "train 12": where the whole name has no room, its number has.
std::string_view StepNumber(std::string_view label) {
  const size_t at = label.find_last_not_of("0123456789");
  return at == std::string_view::npos ? label : label.substr(at + 1);
}

}  // namespace

void TimelinePanel::DrawRows(const TimelineInput& input, const Pen& pen) {
  const Theme& theme = input.panel.theme;
  const double scroll = Scroll(input);
  const float bottom = geo_.rows.y + geo_.rows.h;
  const auto [first, last] = layout_.Visible(scroll, scroll + static_cast<double>(geo_.rows.h));
  pen.list->PushClipRect({geo_.all.x, geo_.rows.y}, {geo_.all.x + geo_.all.w, bottom}, true);
  for (size_t i = first; i < last; ++i) {  // headings lie under the previews
    const LayoutItem& item = layout_.items()[i];
    const float y = geo_.rows.y + static_cast<float>(item.y - scroll);
    const bool heading = item.kind != ItemKind::kTrack && item.kind != ItemKind::kCounter;
    if (heading) {
      pen.Box(geo_.all.x, y, geo_.all.w, item.height, theme[Role::kRaised]);
      if (i > 0) pen.HLine(geo_.all.x, geo_.all.x + geo_.all.w, y, theme[Role::kLine]);
    } else if (i > first) {
      pen.HLine(geo_.all.x, geo_.rows.x + geo_.rows.w, y - 2, theme[Role::kGrid]);
    }
  }
  // Gridlines, and steps a little stronger.
  const TimeAxis& axis = ActiveAxis();
  const Ticks ticks = MakeTicks(axis, static_cast<double>(pen.Px(110)));
  for (Ps t = ticks.first; t < axis.view().end; t = SaturatingAdd(t, ticks.minor)) {
    if ((t - ticks.base) % ticks.step == 0)
      pen.VLine(geo_.rows.x + axis.ClippedX(t), geo_.rows.y, bottom, theme[Role::kGrid]);
  }
  const TimeRange measured = input.panel.view.MeasuredIn(input.runs[active_].id);
  if (!measured.empty()) {
    const float a = geo_.rows.x + axis.ClippedX(measured.begin);
    const float b = geo_.rows.x + axis.ClippedX(measured.end);
    pen.Box(a, geo_.rows.y, std::max(1.0f, b - a), geo_.rows.h, theme.Alpha(Role::kAccent, 0.10f));
  }
  pen.list->PopClipRect();

  pen.list->PushClipRect({geo_.rows.x, geo_.rows.y}, {geo_.rows.x + geo_.rows.w, bottom}, true);
  TexelFrame frame;
  frame.x = geo_.rows.x;
  frame.y = geo_.rows.y;
  frame.width = plan_.width();
  frame.rows = static_cast<uint32_t>(plan_.rows().size());
  frame.texels = plan_.texels();
  frame.lines = plan_.lines();
  frame.dirty_begin = plan_.dirty_begin();
  frame.dirty_end = plan_.dirty_end();
  frame.background = theme[Role::kPanel];
  if (frame.rows > 0) input.sink.Draw(frame, pen.list);
  DrawLabels(input, pen);
  pen.list->PopClipRect();

  pen.list->PushClipRect({geo_.all.x, geo_.rows.y}, {geo_.rows.x, bottom}, true);
  for (size_t i = first; i < last; ++i) {
    const LayoutItem& item = layout_.items()[i];
    const float y = geo_.rows.y + static_cast<float>(item.y - scroll);
    if (item.kind == ItemKind::kTrack || item.kind == ItemKind::kCounter) {
      DrawTrackLabel(input, pen, item, y);
    } else {
      DrawHeading(input, pen, item, static_cast<uint32_t>(i), y);
    }
  }
  pen.list->PopClipRect();
  pen.VLine(geo_.rows.x - 1, geo_.ruler.y, bottom, theme[Role::kLine]);

  const double content = layout_.height(), page = static_cast<double>(geo_.rows.h);
  if (content > page) {
    const float thumb = std::max(pen.Px(24), static_cast<float>(page * page / content));
    const float y =
        geo_.rows.y + static_cast<float>(scroll / (content - page)) * (geo_.rows.h - thumb);
    const bool hot = drag_ == Drag::kScrollbar ||
                     geo_.scrollbar.Has(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
    pen.Box(geo_.scrollbar.x + 3, y, geo_.scrollbar.w - 6, thumb,
            theme[hot ? Role::kText3 : Role::kLine], pen.Px(3));
  }
}

void TimelinePanel::DrawHeading(const TimelineInput& input, const Pen& pen, const LayoutItem& item,
                                uint32_t index, float y) {
  const Theme& theme = input.panel.theme;
  const Trace& trace = *input.runs[item.run].trace;
  const float left = geo_.all.x, right = geo_.rows.x - pen.Px(12);
  const float text_y = y + std::floor((item.height - pen.Px(TypeSize::kSmall)) / 2) - 1;
  if (item.kind == ItemKind::kRunHeading) {
    pen.TextFit(input.fonts.bold, TypeSize::kSmall, left + pen.Px(12), right, text_y,
                theme[Role::kAccent], input.runs[item.run].label);
    return;
  }
  if (item.kind == ItemKind::kHostHeading) {
    if (input.fonts.icons)
      pen.Text(input.fonts.ui, TypeSize::kSmall, left + pen.Px(10), text_y, theme[Role::kText2],
               icon::kServer);
    pen.TextFit(input.fonts.bold, TypeSize::kSmall, left + pen.Px(30), right, text_y,
                theme[Role::kText], trace.HostName(item.host));
    return;
  }
  // Triangle by hand: it needs no icon font.
  const float cx = left + pen.Px(16), cy = y + std::floor(item.height / 2), r = pen.Px(4);
  if (item.collapsed) {
    pen.list->AddTriangleFilled({cx - r + 1, cy - r}, {cx + r - 1, cy}, {cx - r + 1, cy + r},
                                theme[Role::kText2]);
  } else {
    pen.list->AddTriangleFilled({cx - r, cy - r + 1}, {cx + r, cy - r + 1}, {cx, cy + r - 1},
                                theme[Role::kText2]);
  }
  const bool derived = !item.plane.valid();
  const Plane* plane = derived ? nullptr : &trace.planes[item.plane.value];
  if (input.fonts.icons && plane != nullptr) {
    pen.Text(input.fonts.ui, TypeSize::kSmall, left + pen.Px(27), text_y + 1, theme[Role::kText2],
             PlaneIcon(plane->kind));
  }
  float percent_left = right;
  const double busy = plan_.Utilisation(index);
  if (busy >= 0) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", busy * 100);
    percent_left = pen.TextRight(input.fonts.mono, kSmallText, right, text_y + 1,
                                 theme[Role::kText], text.data());
  }
  const std::string_view name = derived ? "Derived" : std::string_view(plane->display_name);
  const float x = left + pen.Px(46);
  pen.TextFit(input.fonts.bold, TypeSize::kSmall, x, percent_left - pen.Px(6), text_y,
              theme[Role::kText], name);
  if (derived || plane->subtitle.empty()) return;
  const float after = x + pen.Width(input.fonts.bold, TypeSize::kSmall, name) + pen.Px(8);
  if (percent_left - after > pen.Px(40)) {
    pen.TextFit(input.fonts.ui, kSmallText, after, percent_left - pen.Px(8), text_y + 1,
                theme[Role::kText2], plane->subtitle);
  }
}

void TimelinePanel::DrawTrackLabel(const TimelineInput& input, const Pen& pen,
                                   const LayoutItem& item, float y) {
  const Theme& theme = input.panel.theme;
  const TrackSet& set = input.runs[item.run].Set(item.set);
  const Track& track = set.tracks[item.track.value];
  const EventRef& selected = input.panel.view.selected;
  const bool active = selected.valid() && selected.set == item.set &&
                      selected.trace == input.runs[item.run].id && selected.row.value < set.rows &&
                      set.TrackOf(selected.row) == item.track;
  const float left = geo_.all.x;
  if (active) {
    pen.Box(left, y - 1, geo_.labels.w - 1, item.height + 1, theme[Role::kAccentBg]);
    pen.Box(left, y - 1, pen.Px(3), item.height + 1, theme[Role::kAccent]);
  }
  const float text_y =
      y + std::floor((std::min(item.height, layout_.sizes().row) - pen.Px(TypeSize::kSmall)) / 2) -
      1;
  if (item.collapsible) {
    const float cx = left + pen.Px(34), cy = y + std::floor(layout_.sizes().row / 2), r = pen.Px(3);
    if (item.collapsed) {
      pen.list->AddTriangleFilled({cx - r + 1, cy - r}, {cx + r, cy}, {cx - r + 1, cy + r},
                                  theme[Role::kText3]);
    } else {
      pen.list->AddTriangleFilled({cx - r, cy - r + 1}, {cx + r, cy - r + 1}, {cx, cy + r},
                                  theme[Role::kText3]);
    }
  }
  const float right = geo_.rows.x - pen.Px(12);
  const TrackLabel label = LabelOf(set, track, item.set != 0);
  const float id_left = label.tag.empty()
                            ? right
                            : pen.TextRight(input.fonts.mono, kSmallText, right, text_y + 1,
                                            theme[active ? Role::kText2 : Role::kText3], label.tag);
  pen.TextFit(input.fonts.ui, TypeSize::kSmall, left + pen.Px(46), id_left - pen.Px(6), text_y,
              theme[Role::kText], label.name);
  if (item.kind == ItemKind::kCounter && !track.counters.empty()) {
    pen.Text(input.fonts.mono, kSmallText, left + pen.Px(46), text_y + pen.Px(17),
             theme[Role::kText3], "max " + CounterText(set, track, track.counters.front().max));
  }
}

void TimelinePanel::DrawLabels(const TimelineInput& input, const Pen& pen) {
  const float size = pen.Px(TypeSize::kSlice);
  const float row = layout_.sizes().row - 1;
  ImFont* font = input.fonts.ui;
  for (const PlanLabel& label : plan_.labels()) {
    const float x = geo_.rows.x + label.x;
    const float y = geo_.rows.y + label.y + std::floor((row - size) / 2);
    const char* end = label.text.data() + label.text.size();
    pen.list->AddText(font, size, {x, y}, label.color, label.text.data(), end);
    if (!label.cut) continue;
    const float width = font->CalcTextSizeA(size, FLT_MAX, 0, label.text.data(), end).x;
    pen.list->AddText(font, size, {std::floor(x + width), y}, label.color, kEllipsis);
  }
  const float mark = pen.Px(2.5f);
  for (const PlanMark& m : plan_.marks()) {
    const float x = geo_.rows.x + m.x, y = geo_.rows.y + m.y + row;
    pen.list->AddTriangleFilled({x - mark - 1, y}, {x, y - mark * 1.6f - 1}, {x + mark + 1, y},
                                input.panel.theme[Role::kPanel]);
    pen.list->AddTriangleFilled({x - mark + 1, y}, {x, y - mark * 1.6f + 1.5f}, {x + mark - 1, y},
                                input.panel.theme[Role::kText]);
  }
}

void TimelinePanel::DrawRuler(const TimelineInput& input, const Pen& pen) {
  const Theme& theme = input.panel.theme;
  const TimelineRun& run = input.runs[active_];
  const TimeAxis& axis = ActiveAxis();
  // Minimap.
  const float top = geo_.minimap.y + pen.Px(7), height = geo_.minimap.h - pen.Px(14);
  pen.Box(geo_.minimap.x, top, geo_.minimap.w, height, theme[Role::kWindow], 2);
  const bool changed =
      minimap_.Update(run, input.content_generation, static_cast<uint32_t>(geo_.minimap.w),
                      static_cast<uint32_t>(std::max(1.0f, height)), theme);
  minimap_.Draw(input.sink, pen.list, geo_.minimap.x, top, changed, theme[Role::kWindow]);
  const TimeAxis whole(minimap_.span(), static_cast<double>(geo_.minimap.w));
  const float end = geo_.minimap.x + geo_.minimap.w;
  const float a = std::floor(
      std::clamp(geo_.minimap.x + whole.ClippedX(axis.view().begin), geo_.minimap.x, end - 2));
  const float b =
      std::ceil(std::clamp(geo_.minimap.x + whole.ClippedX(axis.view().end), a + 2, end));
  pen.Box(geo_.minimap.x, top, a - geo_.minimap.x, height, theme.Alpha(Role::kPanel, 0.55f));
  pen.Box(b, top, end - b, height, theme.Alpha(Role::kPanel, 0.55f));
  pen.Frame(a, top - 2, b - a, height + 4, theme[Role::kAccent], 2);
  for (float x : {a, b})
    pen.Box(x - 2, top + height / 2 - pen.Px(7), 4, pen.Px(14), theme[Role::kAccent], 2);
  const float left = geo_.all.x + pen.Px(14), right = geo_.rows.x - pen.Px(12);
  pen.Text(input.fonts.ui, TypeSize::kSmall, left, geo_.minimap.y + pen.Px(6), theme[Role::kText2],
           minimap_.span() == run.trace->span ? "Whole trace" : "Densest 99.9 %");
  pen.Text(input.fonts.mono, kSmallText, left, geo_.minimap.y + pen.Px(24), theme[Role::kText],
           WithoutZeros(FormatDuration(minimap_.span().length(), 4)));
  std::array<char, 32> share{};
  const double part = 100.0 * static_cast<double>(axis.view().length()) /
                      static_cast<double>(std::max<Ps>(1, minimap_.span().length()));
  std::snprintf(share.data(), share.size(),
                part > 99.9  ? "all in view"
                : part < 0.1 ? "%.2g %% in view"
                             : "%.1f %% in view",
                part);
  pen.TextRight(input.fonts.ui, kSmallText, right, geo_.minimap.y + pen.Px(24), theme[Role::kText2],
                share.data());
  pen.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.ruler.y - 1, theme[Role::kLine]);

  // Ticks.
  const float base = geo_.ruler.y + geo_.ruler.h - 1;
  pen.list->PushClipRect({geo_.ruler.x, geo_.ruler.y}, {end, base + 1}, true);
  const Ticks ticks = MakeTicks(axis, static_cast<double>(pen.Px(110)));
  std::array<char, 48> text{};
  for (Ps t = ticks.first; t < axis.view().end; t = SaturatingAdd(t, ticks.minor)) {
    const float x = geo_.ruler.x + axis.ClippedX(t);
    const bool major = (t - ticks.base) % ticks.step == 0;
    pen.VLine(x, base - pen.Px(major ? 8 : 4), base, theme[major ? Role::kText3 : Role::kLine]);
    if (!major) continue;
    const size_t n = TickLabel(ticks, t, text.data(), text.size());
    const std::string_view label(text.data(), n);
    if (x + pen.Px(5) + pen.Width(input.fonts.mono, kSmallText, label) < end) {
      pen.Text(input.fonts.mono, kSmallText, x + pen.Px(5), geo_.ruler.y + pen.Px(2),
               theme[Role::kText3], label);
    }
  }
  pen.list->PopClipRect();
  pen.HLine(geo_.ruler.x, end, base, theme[Role::kLine]);
}

void TimelinePanel::DrawTools(const TimelineInput& input, const Pen& pen) {
  const Theme& theme = input.panel.theme;
  const float size = pen.Px(28), y = geo_.ruler.y + pen.Px(7);
  float x = geo_.all.x + pen.Px(8);
  for (const ToolRow& tool : kTools) {
    ImGui::SetCursorScreenPos({x, y});
    if (IconButton(tool.id, tool.icon, tool.fallback, tool.tooltip,
                   input.panel.view.tool == tool.tool, input.fonts, theme, size)) {
      input.panel.commands.Push(tool.command);
    }
    x += size + pen.Px(2);
  }
  const float right = geo_.rows.x - pen.Px(12);
  if (right - x < pen.Px(70)) return;
  const Ticks ticks = MakeTicks(ActiveAxis(), static_cast<double>(pen.Px(110)));
  std::string corner = CornerLabel(ticks, ActiveAxis());
  if (pen.Width(input.fonts.mono, kSmallText, corner) > right - x)
    corner = WithoutZeros(FormatDuration(ActiveAxis().view().begin, 6));
  pen.TextRight(input.fonts.mono, kSmallText, right, geo_.ruler.y + pen.Px(4), theme[Role::kText],
                corner);
  pen.TextRight(input.fonts.ui, kSmallText, right, geo_.ruler.y + pen.Px(22), theme[Role::kText2],
                ticks.relative ? "plus" : "left edge");
}

void TimelinePanel::DrawSteps(const TimelineInput& input, const Pen& pen) {
  const Theme& theme = input.panel.theme;
  const float end = geo_.strip.x + geo_.strip.w;
  pen.HLine(geo_.all.x, geo_.all.x + geo_.all.w, geo_.strip.y + geo_.strip.h, theme[Role::kLine]);
  const std::span<const StepMarker> steps = input.runs[active_].Steps();
  const TimeAxis& axis = ActiveAxis();
  auto step = std::partition_point(steps.begin(), steps.end(), [&](const StepMarker& s) {
    return s.range.end < axis.view().begin;
  });
  pen.list->PushClipRect({geo_.strip.x, geo_.strip.y}, {end, geo_.strip.y + geo_.strip.h}, true);
  const float y = geo_.strip.y + pen.Px(3), height = geo_.strip.h - pen.Px(5);
  const Ps cursor = feedback_.cursor_valid ? feedback_.cursor : kMinPs;
  float drawn_to = geo_.strip.x - 1;
  for (; step != steps.end() && step->range.begin < axis.view().end; ++step) {
    const float a =
        std::max(geo_.strip.x, std::floor(geo_.strip.x + axis.ClippedX(step->range.begin)) + 1);
    const float b = std::min(end, std::floor(geo_.strip.x + axis.ClippedX(step->range.end)));
    if (b <= drawn_to) continue;  // thousands of steps in view: one box per pixel
    const bool current = step->range.Contains(cursor);
    pen.Box(a, y, std::max(1.0f, b - a), height, theme[current ? Role::kAccentBg : Role::kRaised],
            2);
    drawn_to = std::max(a + 1, b);
    const Rgba color = theme[current ? Role::kAccent : Role::kText2];
    const float room = b - a - pen.Px(14);
    if (pen.Width(input.fonts.bold, kSmallText, step->label) <= room) {
      pen.Text(input.fonts.bold, kSmallText, a + pen.Px(8), y + pen.Px(1), color, step->label);
    } else if (const std::string_view number = StepNumber(step->label);
               pen.Width(input.fonts.bold, kSmallText, number) <= b - a - pen.Px(6)) {
      const float width = pen.Width(input.fonts.bold, kSmallText, number);
      pen.Text(input.fonts.bold, kSmallText, std::floor((a + b - width) / 2), y + pen.Px(1), color,
               number);
    }
    const bool whole = step->range.begin >= axis.view().begin && step->range.end <= axis.view().end;
    if (b - a > pen.Px(220) && whole) {
      pen.TextRight(input.fonts.mono, kSmallText, b - pen.Px(10), y + pen.Px(1),
                    theme[Role::kText2], WithoutZeros(FormatDuration(step->range.length(), 4)));
    }
  }
  pen.list->PopClipRect();
}

}  // namespace stepscope
