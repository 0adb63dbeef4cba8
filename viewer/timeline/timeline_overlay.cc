// What lies over the timeline's rows: measurement, selection, arrows, cursor, tooltip.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/timeline/timeline_panel.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr float kSmallText = 12;
constexpr uint32_t kMaxSummed = 20'000;  // folded events a tooltip sums up

}  // namespace

bool TimelinePanel::Place(const TimelineInput& input, const EventRef& event, Box* out) const {
  for (uint32_t run = 0; run < input.runs.size(); ++run) {
    if (input.runs[run].id != event.trace || !event.valid() || event.set >= input.runs[run].sets())
      continue;
    const TrackSet& set = input.runs[run].Set(event.set);
    if (event.row.value >= set.rows) return false;
    const Lane& lane = set.lanes[set.LaneOf(event.row).value];
    const size_t index = layout_.Find(run, event.set, lane.track);
    if (index == Layout::npos) return false;
    const LayoutItem& item = layout_.items()[index];
    const std::optional<uint32_t> depth = DepthOf(set, item, event.row);
    if (!depth) return false;
    const uint32_t i = event.row.value - lane.first_row;
    const float x0 = std::floor(axes_[run].ClippedX(lane.start[i])),
                x1 = std::floor(axes_[run].ClippedX(lane.end(i)));
    const double y = item.y - Scroll(input) + static_cast<double>(layout_.sizes().row) * *depth;
    *out = {geo_.rows.x + x0, geo_.rows.y + static_cast<float>(y), std::max(1.0f, x1 - x0),
            layout_.sizes().row - 1};
    return true;
  }
  return false;
}

void TimelinePanel::DrawSelection(const TimelineInput& input, const Pen& pen) {
  Box box;
  if (!Place(input, input.panel.view.selected, &box)) return;
  const Theme& theme = input.panel.theme;
  pen.list->PushClipRect({geo_.rows.x, geo_.rows.y},
                         {geo_.rows.x + geo_.rows.w, geo_.rows.y + geo_.rows.h}, true);
  pen.Frame(box.x - 2, box.y - 2, box.w + 4, box.h + 4, theme[Role::kPanel], 2, 1);
  pen.Frame(box.x - 1, box.y - 1, box.w + 2, box.h + 2, theme[Role::kText], 1, 2);
  pen.list->PopClipRect();
}

void TimelinePanel::DrawFlows(const TimelineInput& input, const Pen& pen) {
  if (flows_.empty() || !input.panel.settings.Bool("timeline.flow_arrows")) return;
  const Theme& theme = input.panel.theme;
  const EventRef& selected = input.panel.view.selected;
  const Trace* trace = nullptr;
  for (const TimelineRun& run : input.runs) {
    if (run.id == selected.trace) trace = run.trace.get();
  }
  if (trace == nullptr) return;
  pen.list->PushClipRect({geo_.rows.x, geo_.rows.y},
                         {geo_.rows.x + geo_.rows.w, geo_.rows.y + geo_.rows.h}, true);
  for (uint32_t i : flows_) {
    const Flow& flow = trace->flows[i];
    Box from, to;
    if (!Place(input, {selected.trace, 0, flow.from}, &from) ||
        !Place(input, {selected.trace, 0, flow.to}, &to))
      continue;
    const bool up = to.y < from.y;
    const ImVec2 a(from.x + from.w / 2, up ? from.y : from.y + from.h);
    const ImVec2 b(to.x + std::min(to.w / 2, pen.Px(6)), up ? to.y + to.h + 2 : to.y - 2);
    const float bend =
        std::clamp(std::abs(b.y - a.y) * 0.5f, pen.Px(20), pen.Px(120)) * (up ? -1.0f : 1.0f);
    const ImVec2 c1(a.x, a.y + bend), c2(b.x, b.y - bend);
    pen.list->AddBezierCubic(a, c1, c2, b, theme.Alpha(Role::kPanel, 0.8f), 4.5f);
    pen.list->AddBezierCubic(a, c1, c2, b, theme[Role::kText], 1.6f);
    const float head = pen.Px(5) * (up ? 1.0f : -1.0f), half = pen.Px(4);
    pen.list->AddTriangleFilled(b, {b.x + half, b.y + head * 1.6f}, {b.x - half, b.y + head * 1.6f},
                                theme[Role::kText]);
    pen.list->AddCircleFilled(a, 4.5f, theme[Role::kPanel]);
    pen.list->AddCircleFilled(a, 3.2f, theme[Role::kText]);
  }
  pen.list->PopClipRect();
}

void TimelinePanel::DrawMeasure(const TimelineInput& input, const Pen& pen) {
  const Theme& theme = input.panel.theme;
  const TimeAxis& axis = ActiveAxis();
  const float bottom = geo_.rows.y + geo_.rows.h;
  pen.list->PushClipRect({geo_.rows.x, geo_.ruler.y}, {geo_.rows.x + geo_.rows.w, bottom}, true);
  if (drag_ == Drag::kZoom && moved_) {
    const float a = std::min(press_x_, last_x_), b = std::max(press_x_, last_x_);
    pen.Box(a, geo_.rows.y, b - a, geo_.rows.h, theme.Alpha(Role::kAccent, 0.15f));
    for (float x : {a, b}) pen.VLine(x, geo_.ruler.y, bottom, theme[Role::kAccent]);
  }
  const TimeRange measured = input.panel.view.MeasuredIn(input.runs[active_].id);
  if (!measured.empty()) {
    const float a = std::floor(geo_.rows.x + axis.ClippedX(measured.begin));
    const float b = std::floor(geo_.rows.x + axis.ClippedX(measured.end));
    for (float x : {a, b}) pen.VLine(x, geo_.strip.y, bottom, theme[Role::kAccent]);
    const std::string text = FormatDuration(measured.length(), 5);
    const float width = pen.Width(input.fonts.mono_bold, kSmallText, text) + pen.Px(16);
    const float left =
        std::clamp(std::floor((a + b - width) / 2), geo_.rows.x, geo_.rows.x + geo_.rows.w - width);
    const float y = geo_.strip.y + pen.Px(3), height = pen.Px(17),
                middle = y + std::floor(height / 2);
    pen.HLine(a, b, middle, theme[Role::kAccent]);
    pen.Box(left, y, width, height, theme[Role::kAccent], pen.Px(3));
    pen.Text(input.fonts.mono_bold, kSmallText, left + pen.Px(8), y + pen.Px(1),
             theme.TextOn(theme[Role::kAccent]), text);
    if (b - a > width + pen.Px(16)) {
      const float h = pen.Px(4), w = pen.Px(6);
      pen.list->AddTriangleFilled({a + 1, middle}, {a + 1 + w, middle - h}, {a + 1 + w, middle + h},
                                  theme[Role::kAccent]);
      pen.list->AddTriangleFilled({b, middle}, {b - w, middle - h}, {b - w, middle + h},
                                  theme[Role::kAccent]);
    }
  }
  pen.list->PopClipRect();
}

void TimelinePanel::DrawCursor(const TimelineInput& input, const Pen& pen) {
  if (drag_ == Drag::kPan) return;
  float x = std::floor(ImGui::GetIO().MousePos.x);
  if (!feedback_.cursor_valid) {  // a graph below may point at a time
    const PointedTime* pointed = input.panel.pointed;
    if (pointed == nullptr || !pointed->valid || !ActiveAxis().view().Contains(pointed->time))
      return;
    x = std::floor(geo_.rows.x + ActiveAxis().ClippedX(pointed->time));
  }
  const float bottom = geo_.rows.y + geo_.rows.h;
  const Rgba color = input.panel.theme.Alpha(Role::kText3, 0.7f);
  const float top = geo_.strip.y + geo_.strip.h, step = pen.Px(6);
  for (int i = 0; i < static_cast<int>((bottom - top) / step); ++i) {
    pen.Box(x, top + static_cast<float>(i) * step, 1, pen.Px(3), color);
  }
}

// The whole name of a plane or track, which its column may have cut, and what is on it.
void TimelinePanel::DrawLabelTooltip(const TimelineInput& input) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double y = static_cast<double>(mouse.y - geo_.rows.y) + Scroll(input);
  const size_t index = layout_.At(y);
  if (!ImGui::IsWindowHovered() || !geo_.labels.Has(mouse.x, mouse.y) ||
      index >= layout_.items().size())
    return;
  const LayoutItem& item = layout_.items()[index];
  const TimelineRun& run = input.runs[item.run];
  if (y > item.y + static_cast<double>(item.height)) return;
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(input.panel.theme[Role::kText2]);
  if (item.kind == ItemKind::kPlaneHeading && item.plane.valid()) {
    const Plane& plane = run.trace->planes[item.plane.value];
    if (!ImGui::BeginTooltip()) return;
    ImGui::TextUnformatted(plane.display_name.c_str());
    ImGui::TextColored(second, "%s", plane.subtitle.c_str());
    ImGui::TextColored(second, "%s tracks; click folds or unfolds",
                       GroupDigits(plane.tracks.size()).c_str());
    ImGui::EndTooltip();
  } else if (item.kind == ItemKind::kTrack || item.kind == ItemKind::kCounter) {
    const TrackSet& set = run.Set(item.set);
    const Track& track = set.tracks[item.track.value];
    if (!ImGui::BeginTooltip()) return;
    const std::string_view name = set.names->strings.View(track.name);
    ImGui::TextUnformatted(name.data(), name.data() + name.size());
    ImGui::TextColored(second, "%s events, busy for %s", GroupDigits(track.events).c_str(),
                       FormatDuration(track.busy, 4).c_str());
    if (item.set == 0 && track.id != 0)
      ImGui::TextColored(second, "id %lld", static_cast<long long>(track.id));
    ImGui::EndTooltip();
  }
}

void TimelinePanel::DrawTooltip(const TimelineInput& input) {
  if (drag_ != Drag::kNone || pressed_) return;
  if (!hit_.valid()) {
    DrawLabelTooltip(input);
    return;
  }
  const TrackSet& set = input.runs[hit_.run].Set(hit_.set);
  const Lane& lane = *hit_.lane;
  if (!ImGui::BeginTooltip()) return;
  const Theme& theme = input.panel.theme;
  const ImVec4 second = ImGui::ColorConvertU32ToFloat4(theme[Role::kText2]);
  const Pen pen = MakePen(theme, input.fonts);
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 36);
  if (hit_.count() == 1) {
    const uint32_t i = hit_.first;
    const ImVec2 p = ImGui::GetCursorScreenPos();
    pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9), input.names.Color(*set.names, lane.meta[i]),
            2);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
    const std::string_view name = set.names->DisplayName(MetaId(lane.meta[i]));
    ImGui::TextUnformatted(name.data(), name.data() + name.size());
    ImGui::PushStyleColor(ImGuiCol_Text, second);
    if (lane.kind == LaneKind::kInstant) {
      ImGui::TextUnformatted(("at " + WithoutZeros(FormatDuration(lane.start[i], 9))).c_str());
    } else {
      ImGui::TextUnformatted((WithoutZeros(FormatDuration(lane.dur[i], 5)) + ", from " +
                              WithoutZeros(FormatDuration(lane.start[i], 9)))
                                 .c_str());
    }
    if (lane.kind == LaneKind::kSpill)
      ImGui::TextUnformatted("overlaps other events of its track only in part");
    ImGui::PopStyleColor();
  } else {
    struct Sum {
      uint32_t meta, count;
      Ps time;
    };
    std::vector<Sum> sums;
    const uint32_t last = std::min(hit_.last, hit_.first + kMaxSummed);
    Ps total = 0;
    for (uint32_t i = hit_.first; i < last; ++i) {
      auto found = std::find_if(sums.begin(), sums.end(),
                                [&](const Sum& s) { return s.meta == lane.meta[i]; });
      if (found == sums.end()) {
        if (sums.size() >= 256) continue;  // names beyond are in the total only
        found = sums.insert(found, {lane.meta[i], 0, 0});
      }
      ++found->count;
      found->time += lane.dur[i];
    }
    for (uint32_t i = hit_.first; i < last; ++i) total += lane.dur[i];
    std::sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.time > b.time; });
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%u events in this pixel%s", hit_.count(),
                  last < hit_.last ? " (first 20 000 summed)" : "");
    ImGui::TextUnformatted(text.data());
    ImGui::SameLine();
    ImGui::TextColored(second, "%s", FormatDuration(total, 4).c_str());
    for (size_t s = 0; s < std::min<size_t>(6, sums.size()); ++s) {
      const ImVec2 p = ImGui::GetCursorScreenPos();
      pen.Box(p.x, p.y + pen.Px(4), pen.Px(9), pen.Px(9),
              input.names.Color(*set.names, sums[s].meta), 2);
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + pen.Px(16));
      const NameLabel& label = input.names.Label(*set.names, sums[s].meta);
      const std::string& name = label.forms[1].empty() ? label.forms[0] : label.forms[1];
      ImGui::TextUnformatted(name.c_str());
      ImGui::SameLine();
      ImGui::TextColored(second, "\xC3\x97 %s  %s", GroupDigits(sums[s].count).c_str(),
                         FormatDuration(sums[s].time, 4).c_str());
    }
    if (sums.size() > 6) ImGui::TextColored(second, "and %zu more names", sums.size() - 6);
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace stepscope
