#include "app/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/report/report.h"
#include "model/base/key_table.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

constexpr int kDigits = 6;            // of the ends of a range that was asked for
constexpr size_t kMostTextRows = 30;  // of a table that is not asked for by name
constexpr size_t kTextWidth = 100, kLeastRoom = 20;

const char* GradeMark(Finding::Grade grade) {
  using enum Finding::Grade;
  constexpr std::pair<Finding::Grade, const char*> kMarks[] = {
      {kGood, "good:"}, {kInfo, "note:"}, {kWarning, "warning:"}};
  return FindValue(kMarks, grade, "problem:");
}

// Adds a text in lines of kTextWidth columns, which break at blanks, or within a word that is
// longer than a line. `first` begins the first line and `rest` the others.
void AddWrapped(std::string_view text, const std::string& first, const std::string& rest,
                TextBuffer* out) {
  std::string line = first;
  bool any = false;
  while (!text.empty()) {
    const size_t blank = text.find(' ');
    const size_t room = kTextWidth - std::min(kTextWidth - kLeastRoom, CellsOf(any ? rest : line));
    const std::string_view word = FirstCells(text.substr(0, blank), room);
    text.remove_prefix(word.size() + (word.size() == blank ? 1 : 0));
    if (any && CellsOf(line) + 1 + CellsOf(word) > kTextWidth) {
      *out += line + "\n";
      line = rest;
      any = false;
    }
    if (any) line += ' ';
    line += word;
    any = true;
  }
  *out += line + "\n";
}

void AddProperties(const std::vector<Property>& properties, TextBuffer* out) {
  size_t width = 0;
  for (const Property& p : properties) {
    if (!PropertyText(p).empty()) width = std::max(width, CellsOf(p.label));
  }
  for (const Property& p : properties) {
    if (PropertyText(p).empty()) continue;
    const std::string label = p.label.empty() ? p.id : p.label;
    const std::string pad(width > CellsOf(label) ? width - CellsOf(label) : 0, ' ');
    AddWrapped(TerminalCell(PropertyText(p)), label + pad + "  ", std::string(width + 2, ' '), out);
  }
}

// Diagnostics are sentences, for which a column of a table has no room.
void AddDiagnostics(const ResultTable& table, TextBuffer* out) {
  const auto text = [&](size_t row, const char* column) {
    const int c = table.Column(column);
    const Cell value = table.Shown(row, static_cast<size_t>(c));
    return TerminalText(FormatValue(value, table.columns[static_cast<size_t>(c)].unit));
  };
  for (size_t r = 0; r < table.size(); ++r) {
    AddWrapped(text(r, "severity") + " " + text(r, "count") + ": " + text(r, "text"), "", "  ",
               out);
    if (const std::string first = text(r, "first"); !first.empty())
      AddWrapped(first, "  ", "  ", out);
  }
}

void AddTextPanel(const PanelReport& panel, const ReportInput& input, TextBuffer* out) {
  const std::string& only_table = input.table;
  const bool narrow = !input.compat_xprof && !input.wide;
  const std::shared_ptr<const AnalysisResult> computed = panel.Result();
  const AnalysisResult& result = *computed;
  const std::string title = panel.analysis->title;
  *out += "\n" + title + "\n" + std::string(CellsOf(title), '=') + "\n";
  if (!result.empty_reason.empty()) {
    const std::string reason = TerminalText(result.empty_reason);
    if (narrow) AddWrapped(reason, "", "", out);
    if (!narrow) *out += reason + "\n";
  }
  for (const Finding& f : result.findings) {
    if (narrow) {
      AddWrapped(TerminalText(f.text), std::string(GradeMark(f.grade)) + " ", "  ", out);
      if (!f.next_step.empty()) AddWrapped(TerminalText(f.next_step), "  ", "  ", out);
      continue;
    }
    *out += fmt::format("{} {}\n", GradeMark(f.grade), TerminalText(f.text));
    if (!f.next_step.empty()) *out += "  " + TerminalText(f.next_step) + "\n";
  }
  TextRows properties;
  for (const Property& p : result.properties) {
    if (!input.compat_xprof && PropertyText(p).empty()) continue;
    properties.Add({p.label.empty() ? p.id : p.label,
                    input.compat_xprof ? FormatValue(p.value, p.unit) : PropertyText(p)});
  }
  if (only_table.empty() && narrow) AddProperties(result.properties, out);
  if (only_table.empty() && !narrow) *out += properties.Render();
  for (const ResultTable& table : result.tables) {
    if (!only_table.empty() && table.id != only_table) continue;
    *out += fmt::format("\n{} ({})\n", table.title.empty() ? table.id : table.title, table.id);
    if (table.empty()) {
      *out += "no rows\n";
      continue;
    }
    if (table.id == "diagnostics" && !input.compat_xprof) {
      AddDiagnostics(table, out);
      continue;
    }
    const TextLayout layout{only_table.empty() ? kMostTextRows : 0, narrow ? kTextWidth : 0};
    WriteText(table, layout, [out](std::string_view text) { *out += text; });
  }
}

}  // namespace

std::string PartText(const AnalysisParams& params) {
  std::string text;
  if (!params.range.empty()) {
    text = "only what begins from " + FormatDuration(params.range.begin, kDigits) + " to " +
           FormatDuration(params.range.end, kDigits);
  }
  if (!params.steps) return text;
  text += text.empty() ? "only " : " and in ";
  if (params.steps->first == params.steps->last)
    return text + fmt::format("step {}", params.steps->first);
  return text + fmt::format("steps {} to {}", params.steps->first, params.steps->last);
}

void WriteReportText(const ReportInput& input, const TextSink& sink) {
  TextBuffer out(sink);
  const std::string host = input.host.empty() ? "all hosts" : "host " + TerminalText(input.host);
  out += fmt::format("{}\nrun {}, {}{}\n", TerminalText(input.path), TerminalText(input.run), host,
                     input.compat_xprof ? ", definitions of XProf 2.24" : "");
  if (const std::string part = PartText(input.params); !part.empty()) out += part + "\n";
  for (const PanelReport& panel : input.panels) AddTextPanel(panel, input, &out);
}

void TextRows::Add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = TerminalText(cell);
  rows_.push_back(std::move(cells));
}

bool TextRows::IsRight(size_t column) const {
  return std::find(right_.begin(), right_.end(), column) != right_.end();
}

std::string TextRows::Render(std::string_view indent) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size(), 0);
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], CellsOf(row[c]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - CellsOf(row[c]), ' ');
      if (c) line += "  ";
      line += IsRight(c) ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string_view FirstCells(std::string_view text, size_t cells) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins && cells-- == 0) break;
  }
  return text.substr(0, end);
}

std::string PropertyText(const Value& value, Unit unit) {
  std::string text = FormatValue(value, unit);
  if (text.empty()) return text;  // not known
  if (unit == Unit::kMs) return text + " ms";
  if (unit == Unit::kUs) return text + " \u00b5s";
  if (unit == Unit::kNs) return text + " ns";
  return text;
}

std::string PropertyText(const Property& property) {
  struct Word {
    const char *property, *id, *text;
  };
  constexpr Word kWords[] = {{"significance", "none", "not significant"},
                             {"significance", "weak", "weakly significant"},
                             {"significance", "strong", "significant"}};
  std::string text = PropertyText(property.value, property.unit);
  for (const Word& word : kWords) {
    if (property.id == word.property && text == word.id) return word.text;
  }
  return text;
}

}  // namespace stepscope
