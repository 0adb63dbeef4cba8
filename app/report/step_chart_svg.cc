#include "app/report/step_chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/analysis/tables/cells.h"
#include "model/base/svg_writer.h"
#include "viewer/core/look/theme.h"

namespace stepscope {
namespace {

// The parts of a step, from the lowest part of a bar up.
constexpr StepPart kParts[] = {
    StepPart::kCompute, StepPart::kOnDevice,    StepPart::kInput,          StepPart::kHost,
    StepPart::kLaunch,  StepPart::kQueued,      StepPart::kSync,           StepPart::kCompile,
    StepPart::kCopies,  StepPart::kCollectives, StepPart::kCollectiveWait, StepPart::kBetweenSteps,
    StepPart::kUnknown};

struct Series {
  size_t column;
  std::string color, label;
};

std::vector<Series> SeriesOf(const ResultTable& steps) {
  const Theme theme = MakeTheme(ThemeKind::kLight);
  std::vector<Series> series;
  for (const StepPart part : kParts) {
    const int column = steps.Column(IdOf(part));
    if (column < 0) continue;
    const auto at = static_cast<size_t>(column);
    series.push_back({at, SvgColor(theme[LossKind(part)]), steps.columns[at].label});
  }
  return series;
}

constexpr size_t kMostBars = 200;
constexpr double kChartWidth = 1160, kChartHeight = 220, kChartLeft = 56, kBottom = 22, kTop = 10;

double PartOf(const Cell& cell) {
  const double part = NumberOf(cell);
  return std::isfinite(part) ? std::max(0.0, part) : 0;
}

struct Bars {
  std::vector<std::vector<double>> bars;  // ms, a value for each series
  std::vector<std::string> labels;
  double highest = 0;
};

Bars BarsOf(const ResultTable& steps, const std::vector<Series>& series) {
  Bars out;
  const size_t of_bar = (steps.size() + kMostBars - 1) / kMostBars;
  for (size_t first = 0; first < steps.size(); first += of_bar) {
    const size_t end = std::min(first + of_bar, steps.size());
    std::vector<double> bar(series.size());
    double sum = 0;
    for (size_t i = 0; i < bar.size(); ++i) {
      for (size_t r = first; r < end; ++r) bar[i] += PartOf(steps.At(r, series[i].column));
      bar[i] /= static_cast<double>(end - first);
      sum += bar[i];
    }
    out.highest = std::max(out.highest, sum);
    out.bars.push_back(std::move(bar));
    out.labels.push_back(RawValue(steps.At(first, 0)));
  }
  return out;
}

std::string Legend(const std::vector<Series>& series, const Bars& bars) {
  std::string out = "<p class=\"legend\">";
  for (size_t i = 0; i < series.size(); ++i) {
    const bool any = std::any_of(bars.bars.begin(), bars.bars.end(),
                                 [&](const auto& bar) { return bar[i] > 0; });
    if (any) {
      out += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", series[i].color,
                         SvgText(series[i].label));
    }
  }
  return out + "</p>";
}

}  // namespace

std::string StepChartSvg(const ResultTable& steps) {
  if (steps.empty()) return {};
  const std::vector<Series> series = SeriesOf(steps);
  const Bars bars = BarsOf(steps, series);
  if (bars.highest <= 0) return {};
  const double slot = (kChartWidth - kChartLeft) / static_cast<double>(bars.bars.size());
  const double bar_width = std::max(1.0, std::min(slot * 0.82, 48.0));
  const double scale = (kChartHeight - kBottom - kTop) / bars.highest;
  SvgWriter out;
  out.Raw(fmt::format(
      "<figure><figcaption>Step time, ms</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"Step time by class\">",
      kChartWidth, kChartHeight));
  for (const double part : {0.0, 0.5, 1.0}) {
    const double y = kChartHeight - kBottom - part * bars.highest * scale;
    out.Line(kChartLeft, y, kChartWidth, y, "class=\"grid\"");
    out.Text(kChartLeft - 6, y + 4, fmt::format("{:.4g}", part * bars.highest),
             "class=\"axis\" text-anchor=\"end\"");
  }
  for (size_t b = 0; b < bars.bars.size(); ++b) {
    const double x = kChartLeft + slot * static_cast<double>(b) + (slot - bar_width) / 2;
    double y = kChartHeight - kBottom;
    for (size_t i = 0; i < series.size(); ++i) {
      const double height = bars.bars[b][i] * scale;
      if (height < 0.05) continue;
      y -= height;
      out.Rect({x, y, bar_width, height}, series[i].color, {},
               fmt::format("{}: {} {:.3f} ms", bars.labels[b], series[i].label, bars.bars[b][i]));
    }
  }
  const auto label = [&](size_t b, const char* anchor, double x) {
    out.Text(x, kChartHeight - 6, bars.labels[b],
             fmt::format("class=\"axis\" text-anchor=\"{}\"", anchor));
  };
  label(0, "start", kChartLeft);
  if (bars.labels.size() > 1) label(bars.labels.size() - 1, "end", kChartWidth);
  return out.text() + "</svg>" + Legend(series, bars) + "</figure>\n";
}

}  // namespace stepscope
