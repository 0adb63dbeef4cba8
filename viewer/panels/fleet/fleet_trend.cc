#include "viewer/panels/fleet/fleet_trend.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kMostTicks = 8;

Rgba ColorOfLine(const PanelContext& context, size_t line) {
  constexpr Role kRoles[] = {Role::kAccent, Role::kGood, Role::kWarning};
  return context.theme[kRoles[line % std::size(kRoles)]];
}

}  // namespace

void FleetTrend::MakeLines(const Fleet& fleet, const std::vector<RunSummary>& runs) {
  lines_ = {{"Step (ms)", 0, {}}, {"Busy (ms)", 0, {}}, {"Slowdown (%)", 1, {}}};
  places_.clear();
  names_ = ShortRunNames(fleet);
  std::reverse(names_.begin(), names_.end());
  for (size_t place = 0; place < runs.size(); ++place) {
    const RunSummary& run = runs[runs.size() - 1 - place];  // the newest is the first
    places_.push_back(static_cast<double>(place));
    const std::optional<double> values[] = {run.step_ms, run.busy_ms, run.slowdown_percent()};
    for (size_t l = 0; l < lines_.size(); ++l)
      lines_[l].values.push_back(values[l].value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  shown_ = runs.size() - 1 - fleet.shown;
}

// The top of an axis: above all of its points.
double FleetTrend::MostOf(int unit) const {
  double most = 0;
  for (const Line& line : lines_) {
    for (const double value : line.values) {
      if (line.unit == unit && value > most) most = value;
    }
  }
  return most > 0 ? most * 1.15 : 1;
}

void FleetTrend::DrawLines(const PanelContext& context) const {
  const int count = static_cast<int>(places_.size());
  for (size_t l = 0; l < lines_.size(); ++l) {
    const ImVec4 color = ImGui::ColorConvertU32ToFloat4(ColorOfLine(context, l));
    ImPlotSpec look;
    look.LineColor = look.MarkerFillColor = look.MarkerLineColor = color;
    look.Marker = ImPlotMarker_Circle;
    look.MarkerSize = std::max(2.0f, Em() * 0.22f);
    ImPlot::SetAxes(ImAxis_X1, lines_[l].unit == 0 ? ImAxis_Y1 : ImAxis_Y2);
    ImPlot::PlotLine(lines_[l].label, places_.data(), lines_[l].values.data(), count, look);
  }
  const double shown = places_[shown_];
  ImPlotSpec line;
  line.LineColor = ImGui::ColorConvertU32ToFloat4(context.theme[Role::kText3]);
  line.Flags = ImPlotItemFlags_NoLegend;
  ImPlot::SetAxes(ImAxis_X1, ImAxis_Y1);
  ImPlot::PlotInfLines("##shown", &shown, 1, line);
}

void FleetTrend::DrawPoint(const PanelContext& context) const {
  if (!ImPlot::IsPlotHovered()) return;
  const double at = std::round(ImPlot::GetPlotMousePos(ImAxis_X1, ImAxis_Y1).x);
  const size_t last = places_.size() - 1;
  const auto place = static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(last)));
  std::string text = names_[place];
  for (const Line& line : lines_) {
    const double value = line.values[place];
    text += fmt::format("\n{}: ", line.label);
    text += std::isnan(value) ? "not known" : fmt::format("{:.3g}", value);
  }
  WrappedTooltip(text + "\nClick shows this run");
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  context.commands.Push("run.choose", {.text = names_[place], .profile = context.profile->id});
}

void FleetTrend::Draw(const PanelContext& context, const Fleet& fleet,
                      const std::vector<RunSummary>& runs, uint64_t key, ImVec2 size) {
  if (key_ != key) MakeLines(fleet, runs);
  key_ = key;
  const FaceScope small(context, Face::kUi);
  constexpr ImPlotFlags kFlags =
      ImPlotFlags_NoMenus | ImPlotFlags_NoTitle | ImPlotFlags_NoMouseText | ImPlotFlags_NoBoxSelect;
  constexpr ImPlotAxisFlags kFixed =
      ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus | ImPlotAxisFlags_NoSideSwitch;
  if (!ImPlot::BeginPlot("##trend", size, kFlags)) return;
  ImPlot::SetupLegend(ImPlotLocation_North,
                      ImPlotLegendFlags_Outside | ImPlotLegendFlags_Horizontal);
  ImPlot::SetupAxis(ImAxis_X1, nullptr,
                    kFixed | ImPlotAxisFlags_NoGridLines | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, kFixed | ImPlotAxisFlags_Lock);
  ImPlot::SetupAxis(
      ImAxis_Y2, nullptr,
      kFixed | ImPlotAxisFlags_Lock | ImPlotAxisFlags_Opposite | ImPlotAxisFlags_NoGridLines);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, MostOf(0), ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y2, 0, MostOf(1), ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_X1, -0.5, static_cast<double>(places_.size()) - 0.5,
                          ImPlotCond_Always);
  const size_t every = (names_.size() + kMostTicks - 1) / kMostTicks;
  std::vector<double> ticks;
  std::vector<const char*> labels;
  for (size_t i = 0; i < names_.size(); i += every) {
    ticks.push_back(places_[i]);
    labels.push_back(names_[i].c_str());
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), labels.data());
  DrawLines(context);
  DrawPoint(context);
  ImPlot::EndPlot();
}

}  // namespace stepscope
