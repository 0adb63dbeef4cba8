// Text forms of values and tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/names.h"
#include "model/analysis/result_table.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

int DecimalsFor(double v, int significant) {
  const double a = std::fabs(v);
  if (a < 1e-12) return 0;
  const int magnitude = static_cast<int>(std::floor(std::log10(a)));
  return std::clamp(significant - 1 - magnitude, 0, 6);
}

std::string Real(double v, int decimals) {
  return GroupDigits(fmt::format("{:.{}f}", v, decimals));
}

std::string Bytes(double v) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t u = 0;
  while (std::fabs(v) >= 1024 && u + 1 < std::size(kUnits)) v /= 1024, ++u;
  return fmt::format("{} {}", Real(v, u == 0 ? 0 : DecimalsFor(v, 4)), kUnits[u]);
}

std::string FormatReal(double v, Unit unit) {
  switch (unit) {
    case Unit::kPs:
      return FormatDuration(static_cast<Ps>(std::clamp(v, -9e18, 9e18)));
    case Unit::kBytes:
      return Bytes(v);
    case Unit::kPercent:
      return Real(v, 1) + " %";
    case Unit::kFraction:
      return Real(v * 100, 1) + " %";
    case Unit::kNs:
    case Unit::kUs:
      return Real(v, 1);
    case Unit::kMs:
      return Real(v, 3);
    default:
      return Real(v, DecimalsFor(v, 4));
  }
}

bool IsNumber(const ColumnDesc& column) {
  return column.type == ValueType::kInt || column.type == ValueType::kReal;
}

// Terminal columns: code points stand for cells, which is right for all that we print but CJK
// names.
size_t Cells(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Shortened(std::string text, size_t cells) {
  if (Cells(text) <= cells) return text;
  size_t kept = 0;
  size_t i = 0;
  while (i < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (starts && ++kept == cells) break;
    ++i;
  }
  return text.substr(0, i) + "\u2026";
}

constexpr size_t kMaxCells = 60;  // of a column of text

std::string HeaderText(const ColumnDesc& column) {
  return Shortened(TerminalText(column.label + UnitSuffix(column.unit)), kMaxCells);
}

std::string CellText(const ResultTable& table, size_t row, size_t column) {
  const std::vector<Value>& cells = table.rows[row];
  if (column >= cells.size()) return {};
  return Shortened(TerminalText(FormatValue(table.Shown(row, column), table.columns[column].unit)),
                   kMaxCells);
}

}  // namespace

std::string RawValue(const Value& value) {
  if (const auto* s = std::get_if<SharedText>(&value)) return s->str();
  if (const auto* i = std::get_if<int64_t>(&value)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  return {};
}

std::string FormatValue(const Value& value, Unit unit) {
  if (const auto* d = std::get_if<double>(&value))
    return std::isfinite(*d) ? FormatReal(*d, unit) : "\u2013";
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "yes" : "no";
  if (const auto* i = std::get_if<int64_t>(&value)) {
    if (unit == Unit::kPs) return FormatDuration(*i);
    if (unit == Unit::kBytes) return Bytes(static_cast<double>(*i));
    if (unit == Unit::kPercent) return GroupDigits(fmt::format("{}", *i)) + " %";
    return GroupDigits(fmt::format("{}", *i));
  }
  return RawValue(value);
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

void WriteCsv(const ResultTable& table, const TextSink& sink) {
  TextBuffer out(sink);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (c) out += ',';
    out += CsvField(table.columns[c].id);
  }
  out += "\r\n";
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      if (c) out += ',';
      out += CsvField(RawValue(row[c]));
    }
    out += "\r\n";
  }
}

std::string ToCsv(const ResultTable& table) {
  return Collected([&table](const TextSink& sink) { WriteCsv(table, sink); });
}

// Twice over the rows, for the widths and for the text: cells are made again instead of kept.
void WriteText(const ResultTable& table, size_t max_rows, const TextSink& sink) {
  const size_t n = max_rows ? std::min(max_rows, table.rows.size()) : table.rows.size();
  std::vector<size_t> width;
  for (const ColumnDesc& column : table.columns) width.push_back(Cells(HeaderText(column)));
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < width.size(); ++c)
      width[c] = std::max(width[c], Cells(CellText(table, r, c)));
  }
  TextBuffer out(sink);
  const auto add_line = [&](const auto& text_of) {
    std::string line;
    for (size_t c = 0; c < width.size(); ++c) {
      const std::string text = text_of(c);
      const std::string pad(width[c] - Cells(text), ' ');
      if (c) line += "  ";
      line += IsNumber(table.columns[c]) ? pad + text : text + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
  };
  add_line([&](size_t c) { return HeaderText(table.columns[c]); });
  for (size_t r = 0; r < n; ++r) add_line([&](size_t c) { return CellText(table, r, c); });
  if (n < table.rows.size()) out += fmt::format("\u2026 and {} more\n", table.rows.size() - n);
}

std::string ToText(const ResultTable& table, size_t max_rows) {
  return Collected([&](const TextSink& sink) { WriteText(table, max_rows, sink); });
}

}  // namespace stepscope
