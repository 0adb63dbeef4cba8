#include "viewer/panels/time_plot.h"

#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/analysis/tables/in_unit.h"
#include "viewer/core/look/theme.h"
#include "viewer/widgets/chart.h"

namespace stepscope {
namespace {

constexpr double kPsPerMsReal = static_cast<double>(kPsPerMs);

Ps FromMs(double ms) { return static_cast<Ps>(std::clamp(ms * kPsPerMsReal, -9e18, 9e18)); }

TimeRange ShownRange(const PanelContext& context, TimeRange otherwise) {
  if (context.profile == nullptr) return otherwise;
  const TimeRange visible = context.view.VisibleIn(context.profile->id);
  if (!visible.empty()) return visible;
  const bool known = context.profile->trace && !context.profile->trace->first_view.empty();
  return known ? context.profile->trace->first_view : otherwise;
}

}  // namespace

bool TimePlot::Begin(const PanelContext& context, const char* id, ImVec2 size,
                     TimeRange otherwise) {
  const TimeRange range = ShownRange(context, otherwise);
  min_ = want_min_ = InMs(range.begin);
  max_ = want_max_ = InMs(range.end);
  span_ = max_ - min_;
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText |
                                 ImPlotFlags_NoMenus | ImPlotFlags_NoTitle |
                                 ImPlotFlags_NoBoxSelect;
  if (!ImPlot::BeginPlot(id, size, kFlags)) return false;
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoTickMarks);
  ImPlot::SetupAxisLinks(ImAxis_X1, &min_, &max_);
  ImPlot::SetupAxisFormat(ImAxis_X1, FormatTime, &span_);
  return true;
}

// Rounds to three digits of the axis' span.
int TimePlot::FormatTime(double ms, char* buffer, int size, void* span_ms) {
  const double span = *static_cast<const double*>(span_ms);
  const bool seconds = span >= 10'000;
  const double shown = seconds ? span / 1000 : span;
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(2 - std::log10(std::max(shown, 1e-9)))), 0, 9);
  return std::snprintf(buffer, static_cast<size_t>(size), "%.*f %s", decimals,
                       seconds ? ms / 1000 : ms, seconds ? "s" : "ms");
}

int TimePlot::FormatTick(double value, char* buffer, int size, void* ticks) {
  const auto& t = *static_cast<const Ticks*>(ticks);
  return std::snprintf(buffer, static_cast<size_t>(size), "%.*f %s", value > 0 ? t.decimals : 0,
                       value, t.unit);
}

void TimePlot::SetupY(const NumberFormat& format, double most) {
  // Up to eight ticks, with enough digits to differ.
  const double digits = -std::log10(std::max(most * format.scale / 8, 1e-9));
  ticks_ = {format.header, std::max(0, static_cast<int>(std::ceil(digits)))};
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, most * format.scale, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, FormatTick, &ticks_);
}

void TimePlot::DrawLine(Ps time, Rgba color, float width) {
  const ImVec2 pos = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const float x = std::floor(ImPlot::PlotToPixels(InMs(time), 0).x);
  ImPlot::GetPlotDrawList()->AddLine(ImVec2(x, pos.y), ImVec2(x, pos.y + size.y), color, width);
}

void TimePlot::DrawMarks(const PanelContext& context) {
  const EventRef& selected = context.view.selected;
  if (context.profile != nullptr && selected.valid() && selected.trace == context.profile->id &&
      selected.set == 0 && selected.row.value < context.profile->trace->set.rows) {
    DrawLine(context.profile->trace->set.Start(selected.row), context.theme[Role::kAccent], 1.5f);
  }
  if (!context.pointed.valid || ImPlot::IsPlotHovered()) return;
  const ImVec2 pos = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const float x = std::floor(ImPlot::PlotToPixels(InMs(context.pointed.time), 0).x);
  for (int i = 0; i < static_cast<int>(size.y / 6); ++i) {
    const float y = pos.y + static_cast<float>(i * 6);
    ImPlot::GetPlotDrawList()->AddLine(ImVec2(x, y), ImVec2(x, y + 3), context.theme[Role::kText2]);
  }
}

Ps TimePlot::Point(const PanelContext& context) {
  const Ps at = FromMs(ImPlot::GetPlotMousePos().x);
  context.pointed.Set(at);
  return at;
}

bool TimePlot::Clicked() {
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left);
}

void TimePlot::End(const PanelContext& context, const char* id) {
  const bool menu = ImPlot::IsPlotHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
                    !ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Right);
  ImPlot::EndPlot();
  if (menu) OpenChartMenu(id);
  const double margin = (want_max_ - want_min_) * 1e-6;
  if (std::fabs(min_ - want_min_) <= margin && std::fabs(max_ - want_max_) <= margin) return;
  const TimeRange range{FromMs(min_), FromMs(max_)};
  if (!range.empty()) context.commands.Push("view.set_range", {.range = range});
}

}  // namespace stepscope
