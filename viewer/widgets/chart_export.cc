// Charts as SVG and CSV.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/markup.h"
#include "viewer/widgets/chart.h"

namespace stepscope {
namespace {

std::string Color(Rgba c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c & 255u, (c >> 8) & 255u, (c >> 16) & 255u);
}

std::string Real(double v) { return fmt::format("{:.2f}", v); }

std::string Open(double width, double height, Rgba background) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Real(width) + "\" height=\"" +
         Real(height) +
         "\" font-family=\"Inter, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
         "height=\"100%\" fill=\"" +
         Color(background) + "\"/>\n";
}

std::string Text(double x, double y, const char* anchor, Rgba color, std::string_view text) {
  return "<text x=\"" + Real(x) + "\" y=\"" + Real(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"" + Color(color) + "\">" + EscapeMarkup(text) + "</text>\n";
}

std::string Rect(double x, double y, double w, double h, Rgba color, std::string_view title) {
  return "<rect x=\"" + Real(x) + "\" y=\"" + Real(y) + "\" width=\"" + Real(w) + "\" height=\"" +
         Real(h) + "\" fill=\"" + Color(color) + "\"><title>" + EscapeMarkup(title) +
         "</title></rect>\n";
}

}  // namespace

std::string ToSvg(const StepBars& bars, const ChartState& state, Rgba text, Rgba background) {
  constexpr double kWidth = 1200, kHeight = 400, kLeft = 60, kTop = 40, kBottom = 30;
  std::string svg = Open(kWidth, kHeight, background);
  double most = bars.reference;
  for (size_t s = 0; s < bars.labels.size(); ++s) most = std::max(most, bars.TotalOf(s, state));
  if (most <= 0) most = 1;
  const double scale = (kHeight - kTop - kBottom) / (most * 1.05);
  const double step =
      (kWidth - kLeft - 10) / static_cast<double>(std::max<size_t>(bars.labels.size(), 1));
  const size_t every = std::max<size_t>(1, bars.labels.size() / 20);
  for (size_t s = 0; s < bars.labels.size(); ++s) {
    const double x = kLeft + step * static_cast<double>(s);
    double y = kHeight - kBottom;
    for (size_t i = 0; i < bars.series.size(); ++i) {
      if (!state.Shown(i) || s >= bars.series[i].values.size() || bars.series[i].values[s] <= 0)
        continue;
      const double h = bars.series[i].values[s] * scale;
      y -= h;
      svg += Rect(x + step * 0.14, y, step * 0.72, h, bars.series[i].color,
                  bars.labels[s] + ": " + bars.series[i].label + " " +
                      Real(bars.series[i].values[s]) + " " + bars.unit);
    }
    if (s % every == 0) svg += Text(x + step / 2, kHeight - 10, "middle", text, bars.labels[s]);
  }
  for (int i = 0; i <= 4; ++i) {
    const double v = most * i / 4;
    svg += Text(kLeft - 8, kHeight - kBottom - v * scale + 4, "end", text, Real(v));
  }
  double x = kLeft;
  for (size_t i = 0; i < bars.series.size(); ++i) {
    if (!state.Shown(i)) continue;
    svg += Rect(x, 14, 10, 10, bars.series[i].color, bars.series[i].label);
    svg += Text(x + 16, 23, "start", text, bars.series[i].label);
    x += 30 + 7 * static_cast<double>(bars.series[i].label.size());
  }
  return svg + "</svg>\n";
}

std::string ToSvg(const Ring& ring, Rgba text, Rgba background) {
  constexpr double kSize = 360, kWidth = 820, kOuter = 160, kInner = 105,
                   kTurn = 2 * std::numbers::pi;
  std::string svg = Open(kWidth, kSize, background);
  double sum = 0, y = 60;
  for (const RingSlice& s : ring.slices) {
    if (ring.total <= 0) break;
    // A whole circle has no arc: its ends are the same point.
    const double share = std::min(s.value / ring.total, 0.9999);
    const double a = sum / ring.total * kTurn - kTurn / 4, b = a + share * kTurn;
    sum += s.value;
    const auto point = [&](double angle, double radius) {
      return Real(kSize / 2 + radius * std::cos(angle)) + " " +
             Real(kSize / 2 + radius * std::sin(angle));
    };
    const char* large = share > 0.5 ? "1" : "0";
    svg += "<path fill=\"" + Color(s.color) + "\" d=\"M " + point(a, kOuter) + " A 160 160 0 " +
           large + " 1 " + point(b, kOuter) + " L " + point(b, kInner) + " A 105 105 0 " + large +
           " 0 " + point(a, kInner) + " Z\"><title>" + EscapeMarkup(s.label) + "</title></path>\n";
    svg += Rect(kSize + 20, y - 10, 10, 10, s.color, s.label);
    svg += Text(kSize + 38, y, "start", text,
                Real(100 * s.value / ring.total) + " %  " + s.label.substr(0, 60));
    y += 24;
  }
  svg += Text(kSize / 2, kSize / 2, "middle", text, ring.centre);
  return svg + "</svg>\n";
}

std::string ToCsv(const StepBars& bars) {
  std::string csv = "step";
  for (const ChartSeries& s : bars.series) csv += "," + CsvField(s.label + " (" + bars.unit + ")");
  csv += "\r\n";
  for (size_t i = 0; i < bars.labels.size(); ++i) {
    csv += CsvField(bars.labels[i]);
    for (const ChartSeries& s : bars.series)
      csv += "," + (i < s.values.size() ? RawValue(Value(s.values[i])) : std::string());
    csv += "\r\n";
  }
  return csv;
}

std::string ToCsv(const Histogram& h, Unit unit) {
  const char* name = unit == Unit::kUs ? "us" : unit == Unit::kMs ? "ms" : "";
  std::string csv = std::string("from_") + name + ",to_" + name + ",count\r\n";
  const double width = (h.high - h.low) / static_cast<double>(std::max<size_t>(1, h.counts.size()));
  for (size_t i = 0; i < h.counts.size(); ++i) {
    const double from = h.low + width * static_cast<double>(i);
    csv += RawValue(Value(from)) + "," + RawValue(Value(from + width)) + "," +
           std::to_string(h.counts[i]) + "\r\n";
  }
  return csv;
}

std::string ToCsv(const Ring& ring) {
  std::string csv = "name,value\r\n";
  for (const RingSlice& s : ring.slices)
    csv += CsvField(s.label) + "," + RawValue(Value(s.value)) + "\r\n";
  return csv;
}

}  // namespace stepscope
