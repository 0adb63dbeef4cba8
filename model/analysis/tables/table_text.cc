// Text forms of values and tables (result_table.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/tables/cells.h"
#include "model/analysis/tables/result_table.h"
#include "model/analysis/tables/unit_names.h"
#include "model/analysis/tables/unix_time.h"
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
      return PercentText(v, 1);
    case Unit::kFraction:
      return PercentText(v * 100, 1);
    case Unit::kNs:
    case Unit::kUs:
      return Real(v, 1);
    case Unit::kMs:
      return Real(v, 3);
    default:
      return Real(v, DecimalsFor(v, 4));
  }
}

std::string Shortened(std::string text, size_t cells) {
  if (CellsOf(text) <= cells) return text;
  size_t kept = 0;
  size_t i = 0;
  while (i < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (starts && ++kept == cells) break;
    ++i;
  }
  return text.substr(0, i) + "\u2026";
}

constexpr size_t kMaxCells = 60;  // longest cell of a text column

std::string HeaderText(const ColumnDesc& column) {
  return Shortened(TerminalText(column.label + UnitSuffix(column.unit)), kMaxCells);
}

std::string CellText(const ResultTable& table, size_t row, size_t column) {
  return Shortened(TerminalCell(FormatValue(table.Shown(row, column), table.columns[column].unit)),
                   kMaxCells);
}

// Text columns are shortened to kLeastKeyCells first; to kLeastCells only if the line still does
// not fit, and then key columns too.
constexpr size_t kLeastCells = 20, kLeastKeyCells = 40;

bool HasContent(const Cell& value) {
  if (const auto* s = std::get_if<std::string_view>(&value)) return !s->empty();
  if (const auto* i = std::get_if<int64_t>(&value)) return *i != 0;
  if (const auto* d = std::get_if<double>(&value)) return *d != 0;
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  return false;
}

// Chooses the columns that fit into a line, and their widths in terminal columns.
class TextColumns {
 public:
  TextColumns(const ResultTable& table, size_t rows) : table_(table), rows_(rows) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      width_.push_back(CellsOf(HeaderText(table.columns[c])));
      for (size_t r = 0; r < rows; ++r)
        width_[c] = std::max(width_[c], CellsOf(CellText(table, r, c)));
      shown_.push_back(c);
    }
    natural_ = width_;
  }

  void Fit(size_t width) {
    limit_ = width;
    for (size_t i = shown_.size(); i > 1 && Line() > limit_; --i) {
      if (!Any(shown_[i - 1])) LeaveOut(i - 1);
    }
    for (size_t i = shown_.size(); i > 1 && Line() > limit_; --i) {
      if (IsSame(shown_[i - 1])) LeaveOut(i - 1);
    }
    while (Line() > limit_ && ShortenWidest(kLeastKeyCells)) {
    }
    while (Line() > limit_ && LeaveOutLeast()) {
    }
    while (Line() > limit_ && ShortenWidest(kLeastCells)) {
    }
    Widen();
  }
  const std::vector<size_t>& shown() const { return shown_; }
  size_t width(size_t column) const { return width_[column]; }

  // The columns that are not shown, as lines no longer than the limit; empty if all are shown.
  std::string LeftOut() const {
    if (left_out_.empty()) return {};
    std::string text, line = "Not shown:";
    for (size_t i = 0; i < left_out_.size(); ++i) {
      const std::string name = " " + TerminalText(table_.columns[left_out_[i]].label) +
                               SameText(left_out_[i]) +
                               (i + 1 < left_out_.size() ? "," : " (--wide shows all)");
      if (CellsOf(line) + CellsOf(name) > limit_) {
        text += line + "\n";
        line = " ";
      }
      line += name;
    }
    return text + line + "\n";
  }

 private:
  // " = GPU 0": the text that all rows of a left out column have; empty if they differ.
  std::string SameText(size_t c) const {
    const bool text = rows_ > 0 && table_.columns[c].type == ValueType::kString && IsSame(c);
    const std::string cell = text ? CellText(table_, 0, c) : std::string();
    return cell.empty() ? cell : " = " + Shortened(cell, kLeastCells);
  }
  size_t Line() const {
    size_t sum = 0;
    for (const size_t c : shown_) sum += width_[c] + 2;
    return sum < 2 ? 0 : sum - 2;
  }
  // Gives what is left of the line to texts that were shortened.
  void Widen() {
    for (const size_t c : shown_) {
      const size_t left = limit_ - std::min(limit_, Line());
      width_[c] += std::min(left, natural_[c] - width_[c]);
    }
  }
  // Whether all rows have the same text. Never for key columns.
  bool IsSame(size_t c) const {
    if (table_.columns[c].key) return false;
    if (rows_ < 2 && table_.columns[c].type != ValueType::kString) return false;
    for (size_t r = 1; r < rows_; ++r) {
      if (CellText(table_, r, c) != CellText(table_, 0, c)) return false;
    }
    return true;
  }
  bool Any(size_t c) const {
    for (size_t r = 0; r < rows_; ++r) {
      if (HasContent(table_.At(r, c))) return true;
    }
    return table_.columns[c].key && table_.columns[c].type != ValueType::kBool;
  }
  // Drops one more column: among times of one unit the one with the smallest values, else the last
  // one that is no key. Returns false when only keys and the first column are left.
  bool LeaveOutLeast() {
    size_t last = 0, least = 0, times = 0;
    double smallest = 0;
    for (size_t i = 1; i < shown_.size(); ++i) {
      const ColumnDesc& column = table_.columns[shown_[i]];
      if (column.key) continue;
      last = i;
      if (column.type == ValueType::kBool || column.unit != Unit::kMs) continue;
      const double largest = Largest(shown_[i]);
      if (times++ == 0 || largest < smallest) smallest = largest, least = i;
    }
    if (last == 0) return false;
    const bool of_times = times > 1 && table_.columns[shown_[last]].unit == Unit::kMs;
    LeaveOut(of_times ? least : last);
    return true;
  }
  double Largest(size_t c) const {
    double largest = 0;
    for (size_t r = 0; r < rows_; ++r) {
      const Cell cell = table_.At(r, c);
      const auto* d = std::get_if<double>(&cell);
      if (d != nullptr && std::isfinite(*d)) largest = std::max(largest, std::fabs(*d));
    }
    return largest;
  }
  void LeaveOut(size_t index) {
    left_out_.insert(left_out_.begin(), shown_[index]);
    shown_.erase(shown_.begin() + static_cast<ptrdiff_t>(index));
  }
  // Shortens the widest text column as far as needed; returns false when none can be shorter.
  bool ShortenWidest(size_t least_of_key) {
    size_t widest = table_.columns.size();
    for (const size_t c : shown_) {
      const size_t least = table_.columns[c].key ? least_of_key : kLeastCells;
      const bool text = !IsNumber(table_.columns[c]) && width_[c] > least;
      if (text && (widest == table_.columns.size() || width_[c] > width_[widest])) widest = c;
    }
    if (widest == table_.columns.size()) return false;
    const size_t over = Line() - limit_;
    const size_t least = table_.columns[widest].key ? least_of_key : kLeastCells;
    width_[widest] = std::max(least, width_[widest] - std::min(over, width_[widest] / 4 + 1));
    return true;
  }

  const ResultTable& table_;
  const size_t rows_;
  size_t limit_ = 0;
  std::vector<size_t> width_, natural_;  // by column; natural: the longest cell's
  std::vector<size_t> shown_, left_out_;
};

}  // namespace

std::string RawValue(const Cell& value) {
  if (const auto* s = std::get_if<std::string_view>(&value)) return std::string(*s);
  if (const auto* i = std::get_if<int64_t>(&value)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  return {};
}

std::string FormatValue(const Cell& value, Unit unit) {
  if (const auto* d = std::get_if<double>(&value))
    return std::isfinite(*d) ? FormatReal(*d, unit) : "\u2013";
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "yes" : "no";
  if (const auto* i = std::get_if<int64_t>(&value)) {
    if (unit == Unit::kPs) return FormatDuration(*i);
    if (unit == Unit::kBytes) return Bytes(static_cast<double>(*i));
    if (unit == Unit::kUnixUs) return UnixTimeText(std::chrono::microseconds(*i));
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
  for (size_t row = 0; row < table.size(); ++row) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c) out += ',';
      out += CsvField(RawValue(table.At(row, c)));
    }
    out += "\r\n";
  }
}

std::string ToCsv(const ResultTable& table) {
  return Collected([&table](const TextSink& sink) { WriteCsv(table, sink); });
}

// Makes each cell twice, for the widths and for the text, rather than keep all of them.
void WriteText(const ResultTable& table, const TextLayout& layout, const TextSink& sink) {
  const size_t n = layout.max_rows ? std::min(layout.max_rows, table.size()) : table.size();
  TextColumns columns(table, n);
  if (layout.width > 0) columns.Fit(layout.width);
  TextBuffer out(sink);
  const auto add_line = [&](const auto& text_of) {
    std::string line;
    for (const size_t c : columns.shown()) {
      const std::string text = Shortened(text_of(c), columns.width(c));
      const std::string pad(columns.width(c) - CellsOf(text), ' ');
      if (c != columns.shown().front()) line += "  ";
      line += IsNumber(table.columns[c]) ? pad + text : text + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    out += '\n';
  };
  add_line([&](size_t c) { return HeaderText(table.columns[c]); });
  for (size_t r = 0; r < n; ++r) add_line([&](size_t c) { return CellText(table, r, c); });
  if (n < table.size()) out += fmt::format("\u2026 and {} more\n", table.size() - n);
  out += columns.LeftOut();
}

std::string ToText(const ResultTable& table, const TextLayout& layout) {
  return Collected([&](const TextSink& sink) { WriteText(table, layout, sink); });
}

}  // namespace stepscope
