// Waterfalls as SVG and CSV.
#include <algorithm>
#include <string>
#include <string_view>

#include "model/analysis/naming/short_label.h"
#include "model/base/svg_writer.h"
#include "model/compare/waterfall.h"

#include <fmt/format.h>

namespace stepscope::compare {
namespace {

constexpr double kWidth = 1160, kRow = 24, kBarHeight = 14, kEdge = 8;
constexpr double kLabel = 400, kNumber = 120;  // widths of the columns beside the bars
constexpr double kBaseline = 16;               // of a row's text, from its top
constexpr size_t kLongLabel = 56;              // letters that the label's column has room for

class Picture {
 public:
  Picture(const Waterfall& waterfall, const WaterfallColors& colors)
      : waterfall_(waterfall), colors_(colors) {}
  std::string Draw();

 private:
  double X(int64_t level) const;
  const std::string& ColorOf(const WaterfallBar& bar) const;
  void Open(double height);
  void AddBar(const WaterfallBar& bar, double y, bool last);

  const Waterfall& waterfall_;
  const WaterfallColors& colors_;
  SvgWriter out_;
};

double Picture::X(int64_t level) const {
  const double low = static_cast<double>(waterfall_.low);
  const double span = static_cast<double>(waterfall_.high) - low;
  const double room = kWidth - kLabel - kNumber - kEdge;
  return kLabel + std::clamp((static_cast<double>(level) - low) / span, 0.0, 1.0) * room;
}

const std::string& Picture::ColorOf(const WaterfallBar& bar) const {
  if (bar.total()) return colors_.total;
  if (bar.kind == WaterfallBar::Kind::kRest) return colors_.rest;
  return bar.change() > 0 ? colors_.slower : colors_.faster;
}

void Picture::Open(double height) {
  const bool file = !colors_.background.empty();
  out_.Raw(fmt::format(
      "<svg{} viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"From A to B\" font-size=\"13\"",
      file ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", kWidth, height));
  if (!file) return out_.Raw(">");
  out_.Raw(fmt::format(" width=\"{}\" height=\"{}\" font-family=\"Inter, sans-serif\">", kWidth,
                       height));
  out_.Rect({0, 0, kWidth, height}, colors_.background);
}

void Picture::AddBar(const WaterfallBar& bar, double y, bool last) {
  const Unit unit = waterfall_.unit;
  const std::string number = bar.total() ? TotalText(bar.to, unit) : ChangeText(bar.change(), unit);
  const double from = X(bar.total() ? waterfall_.low : bar.from), to = X(bar.to);
  const double top = y + (kRow - kBarHeight) / 2;
  std::string label(CutEnd(bar.label, kLongLabel));
  if (label.size() < bar.label.size()) label += "\u2026";
  const std::string fill = "fill=\"" + colors_.text + "\"";
  out_.Text(kLabel - kEdge, y + kBaseline, label, fill + " text-anchor=\"end\"");
  out_.Rect({std::min(from, to), top, std::max(1.0, std::abs(to - from)), kBarHeight}, ColorOf(bar),
            {}, bar.label + ": " + number);
  out_.Text(kWidth - kEdge, y + kBaseline, number, fill + " text-anchor=\"end\"");
  if (!last) out_.Line(to, top + kBarHeight, to, top + kRow, "stroke=\"" + colors_.soft + "\"");
}

std::string Picture::Draw() {
  const size_t bars = waterfall_.bars.size();
  const bool cut = waterfall_.low > 0;
  const double height = kRow * static_cast<double>(bars + (cut ? 1 : 0)) + kEdge;
  Open(height);
  for (size_t i = 0; i < bars; ++i)
    AddBar(waterfall_.bars[i], kEdge / 2 + kRow * static_cast<double>(i), i + 1 == bars);
  if (cut) {
    out_.Text(kLabel, height - kEdge,
              "The axis begins at " + TotalText(waterfall_.low, waterfall_.unit) + ".",
              "fill=\"" + colors_.soft + "\"");
  }
  out_.Raw("</svg>\n");
  return out_.text();
}

}  // namespace

std::string ToSvg(const Waterfall& waterfall, const WaterfallColors& colors) {
  return Picture(waterfall, colors).Draw();
}

std::string ToCsv(const Waterfall& waterfall) {
  const bool time = waterfall.unit == Unit::kPs;
  const char* unit = time ? "ms" : "bytes";
  std::string csv = fmt::format("what,from ({0}),to ({0}),change ({0})\r\n", unit);
  const auto number = [&](int64_t value) {
    const double scale = time ? static_cast<double>(kPsPerMs) : 1;
    return RawValue(Value(static_cast<double>(value) / scale));
  };
  for (const WaterfallBar& bar : waterfall.bars) {
    csv += CsvField(bar.label) + "," + number(bar.from) + "," + number(bar.to) + "," +
           number(bar.change()) + "\r\n";
  }
  return csv;
}

}  // namespace stepscope::compare
