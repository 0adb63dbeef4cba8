// Charts as SVG and CSV.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/svg_writer.h"
#include "viewer/widgets/chart.h"

namespace stepscope {
namespace {

std::string Real(double v) { return fmt::format("{:.2f}", v); }

// A picture on a background, with text of one size.
class Picture : public SvgWriter {
 public:
  Picture(double width, double height, Rgba text, Rgba background) : text_(text) {
    Raw(
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
                    "font-family=\"Inter, sans-serif\" font-size=\"12\">\n",
                    width, height));
    Rect({0, 0, width, height}, SvgColor(background));
  }
  void Write(double x, double y, const char* anchor, std::string_view text) {
    Text(x, y, text, fmt::format("text-anchor=\"{}\" fill=\"{}\"", anchor, SvgColor(text_)));
  }
  void Box(const Place& place, Rgba color, std::string_view title) {
    Rect(place, SvgColor(color), {}, title);
  }
  std::string Take() {
    Raw("</svg>\n");
    return text();
  }

 private:
  Rgba text_;
};

}  // namespace

std::string ToSvg(const StepBars& bars, const ChartState& state, Rgba text, Rgba background) {
  constexpr double kWidth = 1200, kHeight = 400, kLeft = 60, kTop = 40, kBottom = 30;
  Picture svg(kWidth, kHeight, text, background);
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
      svg.Box({x + step * 0.14, y, step * 0.72, h}, bars.series[i].color,
              bars.labels[s] + ": " + bars.series[i].label + " " + Real(bars.series[i].values[s]) +
                  " " + bars.unit);
    }
    if (s % every == 0) svg.Write(x + step / 2, kHeight - 10, "middle", bars.labels[s]);
  }
  for (int i = 0; i <= 4; ++i) {
    const double v = most * i / 4;
    svg.Write(kLeft - 8, kHeight - kBottom - v * scale + 4, "end", Real(v));
  }
  double x = kLeft;
  for (size_t i = 0; i < bars.series.size(); ++i) {
    if (!state.Shown(i)) continue;
    svg.Box({x, 14, 10, 10}, bars.series[i].color, bars.series[i].label);
    svg.Write(x + 16, 23, "start", bars.series[i].label);
    x += 30 + 7 * static_cast<double>(bars.series[i].label.size());
  }
  return svg.Take();
}

std::string ToSvg(const Ring& ring, Rgba text, Rgba background) {
  constexpr double kSize = 360, kWidth = 820, kOuter = 160, kInner = 105,
                   kTurn = 2 * std::numbers::pi;
  Picture svg(kWidth, kSize, text, background);
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
    svg.Raw("<path fill=\"" + SvgColor(s.color) + "\" d=\"M " + point(a, kOuter) + " A 160 160 0 " +
            large + " 1 " + point(b, kOuter) + " L " + point(b, kInner) + " A 105 105 0 " + large +
            " 0 " + point(a, kInner) + " Z\"><title>" + SvgText(s.label) + "</title></path>\n");
    svg.Box({kSize + 20, y - 10, 10, 10}, s.color, s.label);
    svg.Write(kSize + 38, y, "start",
              Real(100 * s.value / ring.total) + " %  " + s.label.substr(0, 60));
    y += 24;
  }
  svg.Write(kSize / 2, kSize / 2, "middle", ring.centre);
  return svg.Take();
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
