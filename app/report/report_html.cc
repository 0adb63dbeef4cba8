#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/report.h"
#include "app/report/report_text.h"
#include "app/report/timeline_svg.h"
#include "model/analysis/findings/findings.h"
#include "model/analysis/tables/cells.h"
#include "model/analysis/tables/result_table.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/svg_writer.h"
#include "model/compare/compare_table.h"
#include "model/compare/waterfall.h"
#include "viewer/core/look/theme.h"

namespace stepscope {
namespace {

// The step-time chart of the HTML report: stacked bars of what each step's time goes into.

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

// Returns SVG with its legend, from the overview's table `step_losses`; empty without steps. If
// there are many steps, each bar is the mean of some consecutive ones. O(steps).
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

constexpr size_t kMostHtmlRows = 500;  // of a table, so that the file stays small; CSV has all

// The colours of the window as variables of CSS.
std::string ColorVariables(ThemeKind kind) {
  const Theme theme = MakeTheme(kind);
  const std::pair<const char*, Rgba> variables[] = {
      {"bg", theme[Role::kWindow]},     {"panel", theme[Role::kPanel]},
      {"line", theme[Role::kLine]},     {"text", theme[Role::kText]},
      {"soft", theme[Role::kText2]},    {"accent", theme[Role::kAccent]},
      {"good", theme[Role::kGood]},     {"warning", theme[Role::kWarning]},
      {"bad", theme[Role::kBad]},       {"bar", theme[Kind::kDeviceCompute]},
      {"slower", theme[Role::kSlower]}, {"faster", theme[Role::kFaster]}};
  std::string css = ":root{";
  for (const auto& [name, color] : variables) css += fmt::format("--{}:{};", name, SvgColor(color));
  return css + "}";
}

constexpr std::string_view kStyle = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.45 Inter,Roboto,system-ui,sans-serif}
header,main{max-width:1280px;margin:0 auto;padding:16px 24px}
header h1{font-size:20px;margin:8px 0 4px;overflow-wrap:anywhere}
.soft,caption,nav{color:var(--soft)}
nav a{color:var(--accent);margin-right:16px;text-decoration:none}
section{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:16px;
margin-bottom:16px}
h2{font-size:16px;margin:0 0 8px}
.finding{border-left:3px solid var(--soft);padding:2px 12px;margin:8px 0}
.finding.good{border-color:var(--good)}.finding.warning{border-color:var(--warning)}
.finding.bad{border-color:var(--bad)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:8px 24px;margin:12px 0}
dt{color:var(--soft);font-size:12px}dd{margin:0;font-variant-numeric:tabular-nums}
.scroll{overflow:auto;max-height:640px;margin-top:12px}
table{border-collapse:collapse;min-width:100%;font-size:13px}
caption{text-align:left;padding:4px 0;font-weight:600}
th,td{padding:3px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{position:sticky;top:0;background:var(--panel);white-space:nowrap}
td{max-width:520px;overflow-wrap:anywhere}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td svg{vertical-align:middle;margin-right:6px}
figure{margin:12px 0}figcaption{color:var(--soft);font-weight:600;font-size:13px}
figure svg{display:block;width:100%;height:auto}.grid{stroke:var(--line)}
.axis{fill:var(--soft);font-size:12px}.legend{font-size:12px;color:var(--soft);margin:4px 0}
.legend span{margin-right:16px;white-space:nowrap}
.legend i{display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px}
@media print{:root{--bg:#fff;--panel:#fff;--line:#c9ced6;--text:#000;--soft:#444}
body{font-size:11px}header,main{max-width:none;padding:0}nav{display:none}
section{border:0;padding:0;break-before:auto}.scroll{overflow:visible;max-height:none}
th{position:static}tr,figure,.finding{break-inside:avoid}table{font-size:9px}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)";

// The share, 0 to 1, that a cell of a column of percentages or fractions stands for.
std::optional<double> ShareOf(const Cell& value, Unit unit) {
  if (unit != Unit::kPercent && unit != Unit::kFraction) return std::nullopt;
  const double number = NumberOf(value);
  if (!std::isfinite(number)) return std::nullopt;
  return std::clamp(unit == Unit::kPercent ? number / 100 : number, 0.0, 1.0);
}

std::string Bar(double share) {
  return fmt::format(
      "<svg width=\"60\" height=\"10\" role=\"img\" aria-hidden=\"true\"><rect width=\"60\" "
      "height=\"10\" fill=\"var(--line)\"/><rect width=\"{:.1f}\" height=\"10\" "
      "fill=\"var(--bar)\"/></svg>",
      share * 60);
}

void AddTable(const ResultTable& table, TextBuffer* out) {
  *out += "<div class=\"scroll\"><table><caption>" +
          EscapeMarkup(table.title.empty() ? table.id : table.title) + "</caption><thead><tr>";
  for (const ColumnDesc& c : table.columns) {
    *out += fmt::format("<th{}{}>{}{}</th>", IsNumber(c) ? " class=\"n\"" : "",
                        c.how.empty() ? "" : " title=\"" + EscapeMarkup(c.how) + "\"",
                        EscapeMarkup(c.label), UnitSuffix(c.unit));
  }
  *out += "</tr></thead><tbody>\n";
  for (size_t r = 0; r < std::min(table.size(), kMostHtmlRows); ++r) {
    *out += "<tr>";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const ColumnDesc& column = table.columns[c];
      const Cell value = table.Shown(r, c);
      const std::optional<double> share = ShareOf(value, column.unit);
      *out += fmt::format("<td{}>{}{}</td>", IsNumber(column) ? " class=\"n\"" : "",
                          share ? Bar(*share) : "", EscapeMarkup(FormatValue(value, column.unit)));
    }
    *out += "</tr>\n";
  }
  *out += "</tbody></table></div>\n";
  if (table.size() > kMostHtmlRows) {
    *out +=
        fmt::format("<p class=\"soft\">{} more rows: stepscope report --table {} --format csv</p>",
                    table.size() - kMostHtmlRows, EscapeMarkup(table.id));
  }
}

// Draws for each finding the part of the timeline around its first event.
void AddPictures(const Trace& trace, const ResultTable& findings, TextBuffer* out) {
  constexpr size_t kMost = 12;
  const int title = findings.Column("title");
  if (title < 0) return;
  for (size_t r = 0; r < std::min({kMost, findings.size(), findings.links.size()}); ++r) {
    const RowLink& link = findings.links[r];
    if (link.set != 0) continue;
    const std::vector<EventRow> rows(link.rows.begin(), link.rows.end());
    const std::string picture = TimelineSvg(trace, PictureOf(trace, rows));
    if (picture.empty()) continue;
    *out += "<p><b>" + EscapeMarkup(RawValue(findings.At(r, static_cast<size_t>(title)))) +
            "</b></p>\n" + picture;
  }
}

// Draws the way from A's step to B's. `result` is a comparison.
void AddWaterfall(const AnalysisResult& result, TextBuffer* out) {
  *out += "<figure><figcaption>From A to B</figcaption>" +
          ToSvg(compare::WaterfallOf(result), {.text = "var(--text)",
                                               .soft = "var(--soft)",
                                               .total = "var(--bar)",
                                               .slower = "var(--slower)",
                                               .faster = "var(--faster)",
                                               .rest = "var(--soft)",
                                               .background = ""}) +
          "</figure>\n";
}

void AddHtmlPanel(const PanelReport& panel, const ReportInput& input, TextBuffer* out) {
  const std::string& only_table = input.table;
  const std::shared_ptr<const AnalysisResult> computed = panel.Result();
  const AnalysisResult& result = *computed;
  *out += fmt::format("<section id=\"{}\"><h2>{}</h2><p class=\"soft\">{}</p>\n",
                      EscapeMarkup(panel.analysis->id), EscapeMarkup(panel.analysis->title),
                      EscapeMarkup(panel.what.empty() ? panel.analysis->what : panel.what));
  if (!result.empty_reason.empty()) *out += "<p>" + EscapeMarkup(result.empty_reason) + "</p>\n";
  for (const Finding& f : result.findings) {
    *out += fmt::format("<div class=\"finding {}\">{}<br><span class=\"soft\">{}</span></div>\n",
                        GradeName(f.grade), EscapeMarkup(f.text), EscapeMarkup(f.next_step));
  }
  if (!result.properties.empty() && only_table.empty()) {
    *out += "<dl>";
    for (const Property& p : result.properties) {
      if (!input.compat_xprof && PropertyText(p).empty()) continue;  // not known
      *out += fmt::format(
          "<div{}><dt>{}</dt><dd>{}</dd></div>",
          p.how.empty() ? "" : " title=\"" + EscapeMarkup(p.how) + "\"",
          EscapeMarkup(p.label.empty() ? p.id : p.label),
          EscapeMarkup(input.compat_xprof ? FormatValue(p.value, p.unit) : PropertyText(p)));
    }
    *out += "</dl>\n";
  }
  for (const ResultTable& table : result.tables) {
    if (!only_table.empty() && table.id != only_table) continue;
    const bool chart = table.id == "step_losses" && result.panel == "overview";
    if (chart) *out += StepChartSvg(table);
    const bool waterfall = table.id == compare::kContributionTable || table.id == "memory_at_peak";
    if (waterfall && result.panel == "compare") AddWaterfall(result, out);
    AddTable(table, out);
    if (input.trace && table.id == kFindingTable && result.panel == "findings")
      AddPictures(*input.trace, table, out);
  }
  *out += "</section>\n";
}

}  // namespace

void WriteReportHtml(const ReportInput& input, const TextSink& sink) {
  const std::string title = EscapeMarkup(input.run.empty() ? input.path : input.run);
  TextBuffer out(sink);
  out +=
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
      title + " – Stepscope</title><style>" + ColorVariables(ThemeKind::kLight) +
      "@media(prefers-color-scheme:dark){" + ColorVariables(ThemeKind::kDark) + "}" +
      std::string(kStyle) + "</style></head><body><header><h1>" + title +
      "</h1><p class=\"soft\">" + EscapeMarkup(input.path) + " · " +
      EscapeMarkup(input.host.empty() ? "all hosts" : input.host) +
      (input.compat_xprof ? " · definitions of XProf 2.24" : "") + "</p>";
  if (const std::string part = PartText(input.params); !part.empty())
    out += "<p class=\"soft\">" + EscapeMarkup(part) + "</p>";
  out += "<nav>";
  for (const PanelReport& panel : input.panels) {
    out += fmt::format("<a href=\"#{}\">{}</a>", EscapeMarkup(panel.analysis->id),
                       EscapeMarkup(panel.analysis->title));
  }
  out += "</nav></header><main>\n";
  for (const PanelReport& panel : input.panels) AddHtmlPanel(panel, input, &out);
  out += "</main></body></html>\n";
}

}  // namespace stepscope
