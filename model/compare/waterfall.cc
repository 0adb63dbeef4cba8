#include "model/compare/waterfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "model/analysis/naming/short_label.h"
#include "model/analysis/steps/losses.h"
#include "model/base/demangle.h"
#include "model/base/svg_writer.h"
#include "model/compare/compare.h"
#include "model/compare/compare_table.h"

namespace stepscope::compare {
namespace {

constexpr int64_t kSmallPart = 50;  // a row below 1/50 of the largest has no bar of its own

// The way is made of these: two totals, and the rows that lead from one to the other.
struct Way {
  const char *table, *label_a, *label_b;
  Unit unit;
  int64_t a, b;
  std::vector<int64_t> changes;  // of the rows
  std::function<std::string(size_t row)> label;
};

std::string ReadableName(const std::string& name) {
  const std::string readable = Demangle(name);
  return readable.empty() ? name : std::string(WithoutParameters(readable));
}
std::string OrNoName(std::string label) { return label.empty() ? "(no name)" : label; }

Way WayOf(const StepComparison& found) {
  const auto ps = [](double ms) { return Rounded(ms * static_cast<double>(kPsPerMs)); };
  Way way{kContributionTable,        "A's step", "B's step", Unit::kPs, ps(found.change.a.median),
          ps(found.change.b.median), {},         {}};
  const std::vector<Contribution>& rows = found.found.rows;
  for (const Contribution& c : rows) way.changes.push_back(ps(c.delta_ms()));
  way.label = [&rows](size_t row) {
    const Contribution& c = rows[row];
    return OrNoName(WaitOf(c) + ReadableName(c.name));
  };
  return way;
}

Way WayOf(const SnapshotComparison& found) {
  Way way{"memory_at_peak",
          "A's peak",
          "B's peak",
          Unit::kBytes,
          Rounded(static_cast<double>(found.peak_a)),
          Rounded(static_cast<double>(found.peak_b)),
          {},
          {}};
  for (const AmountChange& row : found.at_peak) way.changes.push_back(Rounded(row.delta()));
  way.label = [&rows = found.at_peak](size_t row) {
    return OrNoName(ReadableName(rows[row].key.front().str()));
  };
  return way;
}

class Maker {
 public:
  explicit Maker(const Way& way) : way_(way) {}

  Waterfall Make(size_t most) {
    out_.table = way_.table;
    out_.unit = way_.unit;
    Add({WaterfallBar::Kind::kA, way_.label_a, 0, way_.a});
    AddRows(most);
    AddRest();
    Add({WaterfallBar::Kind::kB, way_.label_b, 0, way_.b});
    ChooseAxis();
    return std::move(out_);
  }

 private:
  void Add(WaterfallBar bar) {
    level_ = bar.to;
    out_.bars.push_back(std::move(bar));
  }
  void AddRows(size_t most);
  void AddRest();
  void ChooseAxis();

  const Way& way_;
  int64_t level_ = 0;  // where the last bar ends
  Waterfall out_;
};

void Maker::AddRows(size_t most) {
  const std::vector<int64_t>& changes = way_.changes;
  const size_t rows = changes.size();
  const int64_t least = rows > 0 ? std::abs(changes[0]) / kSmallPart : 0;
  size_t own = 0;
  while (own < std::min(rows, most) && std::abs(changes[own]) > least) ++own;
  if (rows == own + 1 && changes[own] != 0) ++own;  // one row needs no bar to share
  for (size_t r = 0; r < own; ++r) {
    Add({WaterfallBar::Kind::kChange, way_.label(r), level_, SaturatingAdd(level_, changes[r]), r,
         1});
  }
  int64_t end = level_;
  size_t shared = 0;
  for (size_t r = own; r < rows && changes[r] != 0; ++r, ++shared)
    end = SaturatingAdd(end, changes[r]);
  if (shared == 0) return;
  Add({WaterfallBar::Kind::kSmaller, std::to_string(shared) + " smaller changes", level_, end, own,
       shared});
}

// The remainder of rounding, at most one for each row, belongs to the last of them.
void Maker::AddRest() {
  const bool rounding =
      std::abs(SaturatingSub(way_.b, level_)) <= static_cast<int64_t>(way_.changes.size());
  if (rounding && out_.bars.size() > 1) out_.bars.back().to = level_ = way_.b;
  if (level_ != way_.b) Add({WaterfallBar::Kind::kRest, "Rest", level_, way_.b});
}

// The axis begins at 0 unless the bars between A and B would be slivers then.
void Maker::ChooseAxis() {
  constexpr int64_t kSliver = 4;
  int64_t low = way_.a, high = way_.a;
  for (const WaterfallBar& bar : out_.bars) {
    low = std::min(low, bar.to);
    high = std::max(high, bar.to);
  }
  const int64_t spread = SaturatingSub(high, low);
  const bool from_zero = spread == 0 || spread >= high / kSliver || low <= spread / 2;
  out_.low = from_zero ? std::min<int64_t>(low, 0) : low - spread / 2;
  out_.high = std::max<int64_t>(high, out_.low + 1);
}

}  // namespace

std::string WaitOf(const Contribution& c) {
  return IsWork(c.kind) ? std::string() : std::string(LabelOf(c.loss)) + ": ";
}

Waterfall WaterfallOf(const AnalysisResult& comparison, size_t most) {
  if (const auto* steps = comparison.As<StepComparison>()) return Maker(WayOf(*steps)).Make(most);
  if (const auto* snapshots = comparison.As<SnapshotComparison>())
    return Maker(WayOf(*snapshots)).Make(most);
  return {};
}

std::string TotalText(int64_t value, Unit unit) { return FormatValue(Value(value), unit); }

std::string ChangeText(int64_t change, Unit unit) {
  return (change > 0 ? "+" : "") + TotalText(change, unit);
}

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
