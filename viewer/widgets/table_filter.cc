#include "viewer/widgets/table_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model/analysis/tables/cells.h"
#include "model/base/ascii.h"
#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

// Lower case without spaces, '_', '-' and '.'.
std::string Plain(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' && c != '_' && c != '-' && c != '.') out += Lower(c);
  }
  return out;
}

struct Suffix {
  std::string_view text;
  Dimension dimension;
  double base;
};
constexpr Suffix kSuffixes[] = {{"ps", Dimension::kTime, 1},
                                {"ns", Dimension::kTime, 1e3},
                                {"us", Dimension::kTime, 1e6},
                                {"\u00b5s", Dimension::kTime, 1e6},
                                {"ms", Dimension::kTime, 1e9},
                                {"s", Dimension::kTime, 1e12},
                                {"%", Dimension::kPercent, 1},
                                {"b", Dimension::kBytes, 1},
                                {"k", Dimension::kBytes, 1024},
                                {"kb", Dimension::kBytes, 1024},
                                {"kib", Dimension::kBytes, 1024},
                                {"m", Dimension::kBytes, 1024.0 * 1024},
                                {"mb", Dimension::kBytes, 1024.0 * 1024},
                                {"mib", Dimension::kBytes, 1024.0 * 1024},
                                {"g", Dimension::kBytes, 1024.0 * 1024 * 1024},
                                {"gb", Dimension::kBytes, 1024.0 * 1024 * 1024},
                                {"gib", Dimension::kBytes, 1024.0 * 1024 * 1024}};

struct Quantity {
  double value = 0;                        // in the base unit if `dimension` is set
  Dimension dimension = Dimension::kNone;  // kNone: a bare number
};

std::optional<Quantity> ParseQuantity(std::string_view text) {
  Quantity q;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), q.value);
  if (parsed.ec != std::errc() || !std::isfinite(q.value)) return std::nullopt;
  const std::string rest =
      Lower({parsed.ptr, static_cast<size_t>(text.data() + text.size() - parsed.ptr)});
  if (rest.empty()) return q;
  for (const Suffix& suffix : kSuffixes) {
    if (rest != suffix.text) continue;
    q.value *= suffix.base;
    q.dimension = suffix.dimension;
    return q;
  }
  return std::nullopt;
}

bool Fits(const ColumnDesc& column, const Quantity& q) {
  return IsNumber(column) &&
         (q.dimension == Dimension::kNone || DimensionOf(column.unit) == q.dimension);
}

// The column that a comparison without a column name uses.
int ImpliedColumn(const ResultTable& table, const Quantity& q, int preferred) {
  if (preferred >= 0 && Fits(table.columns[static_cast<size_t>(preferred)], q)) return preferred;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool measured = DimensionOf(table.columns[c].unit) != Dimension::kNone;
    if (Fits(table.columns[c], q) && measured) return static_cast<int>(c);
  }
  return -1;
}

// Cuts the next term off `text`: up to a space outside quotes; the quotes are taken away.
std::string NextWord(std::string_view* text) {
  std::string word;
  bool quoted = false;
  size_t i = 0;
  while (i < text->size() && (*text)[i] == ' ') ++i;
  for (; i < text->size() && (quoted || (*text)[i] != ' '); ++i) {
    if ((*text)[i] == '"') {
      quoted = !quoted;
    } else {
      word += (*text)[i];
    }
  }
  text->remove_prefix(i);
  return word;
}

}  // namespace

int FindColumnByName(const ResultTable& table, std::string_view name) {
  const std::string want = Plain(name);
  if (want.empty()) return -1;
  for (int pass = 0; pass < 3; ++pass) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      for (const std::string& have : {Plain(table.columns[c].id), Plain(table.columns[c].label)}) {
        const bool hit = pass == 0   ? have == want
                         : pass == 1 ? have.starts_with(want)
                                     : have.find(want) != std::string::npos;
        if (hit) return static_cast<int>(c);
      }
    }
  }
  return -1;
}

bool TableFilter::ParseComparison(std::string_view word, const ResultTable& table, int preferred,
                                  Term* term) {
  const size_t at = word.find_first_of("<>=!");
  if (at == std::string_view::npos) return false;
  struct Sign {
    std::string_view text;
    Op op;
  };
  constexpr Sign kSigns[] = {
      {"<=", Op::kLessEqual}, {">=", Op::kGreaterEqual}, {"!=", Op::kNotEqual}, {"==", Op::kEqual},
      {"<", Op::kLess},       {">", Op::kGreater},       {"=", Op::kEqual}};
  for (const Sign& sign : kSigns) {
    if (!word.substr(at).starts_with(sign.text)) continue;
    const std::optional<Quantity> q = ParseQuantity(word.substr(at + sign.text.size()));
    if (!q) return false;
    const int column =
        at == 0 ? ImpliedColumn(table, *q, preferred) : FindColumnByName(table, word.substr(0, at));
    if (column < 0) return false;
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column)];
    if (!Fits(desc, *q)) return false;
    term->op = sign.op;
    term->column = column;
    term->number = q->dimension == Dimension::kNone ? q->value : q->value / BaseFactor(desc.unit);
    return true;
  }
  return false;
}

bool TableFilter::ParseColumnText(std::string_view word, const ResultTable& table, Term* term) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 >= word.size()) return false;
  if (word[colon + 1] == ':') return false;  // C++ scope
  const int column = FindColumnByName(table, word.substr(0, colon));
  if (column < 0) return false;
  term->column = column;
  term->text = Lower(word.substr(colon + 1));
  return true;
}

bool TableFilter::ParseWholeText(std::string_view word, const ResultTable& table, Term* term) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const bool differs = equals > 0 && word[equals - 1] == '!';
  const std::string_view column = word.substr(0, differs ? equals - 1 : equals);
  std::string_view text = word.substr(equals + 1);
  if (!differs && text.starts_with('=')) text.remove_prefix(1);
  if (text.empty()) return false;
  if (!column.empty()) {
    term->column = FindColumnByName(table, column);
    if (term->column < 0) return false;
    if (table.columns[static_cast<size_t>(term->column)].type != ValueType::kString) return false;
  }
  term->op = Op::kIs;
  term->negate = term->negate != differs;
  term->text = text;
  return true;
}

void TableFilter::Explain(const Term& term, std::string_view word, const ResultTable& table) {
  if (!explanation_.empty()) explanation_ += " and ";
  if (term.negate) explanation_ += "not: ";
  const std::string label =
      term.column < 0 ? "text" : table.columns[static_cast<size_t>(term.column)].label;
  if (term.op == Op::kContains) {
    explanation_ += label + " has \"" + term.text + "\"";
  } else if (term.op == Op::kIs) {
    explanation_ += label + " is \"" + term.text + "\"";
  } else {
    explanation_ += label + " " + std::string(word.substr(word.find_first_of("<>=!")));
  }
}

TableFilter TableFilter::Parse(std::string_view text, const ResultTable& table, int preferred) {
  TableFilter filter;
  for (std::string word = NextWord(&text); !word.empty(); word = NextWord(&text)) {
    Term term;
    std::string_view rest = word;
    if (rest.size() > 1 && rest[0] == '-') {
      term.negate = true;
      rest.remove_prefix(1);
    }
    if (!ParseComparison(rest, table, preferred, &term) && !ParseColumnText(rest, table, &term) &&
        !ParseWholeText(rest, table, &term)) {
      term = {.negate = term.negate, .text = Lower(rest)};
    }
    filter.Explain(term, rest, table);
    filter.terms_.push_back(std::move(term));
  }
  return filter;
}

bool TableFilter::Holds(const Term& term, const ResultTable& table, size_t row) {
  if (term.column < 0) {
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const TableColumn& c) {
      const Cell cell = c.values[row];
      const auto* s = std::get_if<std::string_view>(&cell);
      if (s == nullptr) return false;
      return term.op == Op::kIs ? *s == term.text : ContainsLower(*s, term.text);
    });
  }
  if (static_cast<size_t>(term.column) >= table.columns.size()) return false;
  const Cell value = table.At(row, static_cast<size_t>(term.column));
  if (term.op == Op::kIs) {
    const auto* s = std::get_if<std::string_view>(&value);
    return s != nullptr && *s == term.text;
  }
  if (term.op == Op::kContains) {
    if (const auto* b = std::get_if<bool>(&value)) {
      return std::string_view(*b ? "yes" : "no").starts_with(term.text) ||
             std::string_view(*b ? "true" : "false").starts_with(term.text);
    }
    if (const auto* s = std::get_if<std::string_view>(&value)) return ContainsLower(*s, term.text);
    return ContainsLower(RawValue(value), term.text);
  }
  const double have = NumberOf(value);
  switch (term.op) {
    case Op::kLess:
      return have < term.number;
    case Op::kLessEqual:
      return have <= term.number;
    case Op::kGreater:
      return have > term.number;
    case Op::kGreaterEqual:
      return have >= term.number;
    case Op::kEqual:
      return have == term.number;
    default:
      return have != term.number;
  }
}

// Also searches the readable form of a mangled name.
bool TableFilter::HoldsOfReadable(const Term& term, const ResultTable& table, size_t row) {
  if (row >= table.readable.size()) return false;
  if (term.column >= 0 && term.column != table.readable_column) return false;
  const SharedText& name = table.readable[row];
  if (name.empty()) return false;
  if (term.op == Op::kIs) return name == term.text;
  return term.op == Op::kContains && ContainsLower(name, term.text);
}

bool TableFilter::Matches(const ResultTable& table, size_t row) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return (Holds(term, table, row) || HoldsOfReadable(term, table, row)) != term.negate;
  });
}

namespace {

// A column's values, taken out of the table so that comparing two costs no look-up of variants.
struct KeyColumn {
  std::vector<double> numbers;                         // by row; NaN: missing
  std::vector<std::optional<std::string_view>> texts;  // by row, for text columns
  bool descending = false;

  bool Missing(uint32_t row) const {
    return texts.empty() ? std::isnan(numbers[row]) : !texts[row].has_value();
  }
  int Compare(uint32_t a, uint32_t b) const {
    const bool no_a = Missing(a), no_b = Missing(b);
    if (no_a || no_b) return no_a == no_b ? 0 : no_a ? 1 : -1;
    int order = 0;
    if (!texts.empty()) {
      order = texts[a]->compare(*texts[b]);
    } else if (numbers[a] != numbers[b]) {
      order = numbers[a] < numbers[b] ? -1 : 1;
    }
    return descending ? -order : order;
  }
};

KeyColumn MakeKey(const ResultTable& table, SortKey key) {
  KeyColumn out;
  out.descending = key.descending;
  const auto column = static_cast<size_t>(key.column);
  const bool text = table.columns[column].type == ValueType::kString;
  for (size_t r = 0; r < table.size(); ++r) {
    if (!text) {
      out.numbers.push_back(NumberOf(table.At(r, column)));
    } else if (const Cell cell = table.Shown(r, column);
               const auto* s = std::get_if<std::string_view>(&cell)) {
      out.texts.emplace_back(*s);
    } else {
      out.texts.emplace_back();
    }
  }
  return out;
}

}  // namespace

std::vector<uint32_t> MakeOrder(const ResultTable& table, const TableFilter& filter,
                                std::span<const SortKey> keys) {
  std::vector<uint32_t> order;
  order.reserve(table.size());
  for (uint32_t r = 0; r < table.size(); ++r) {
    if (filter.empty() || filter.Matches(table, r)) order.push_back(r);
  }
  std::vector<KeyColumn> columns;
  for (const SortKey& key : keys) {
    if (key.column >= 0 && static_cast<size_t>(key.column) < table.columns.size()) {
      columns.push_back(MakeKey(table, key));
    }
  }
  if (columns.empty()) return order;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    for (const KeyColumn& column : columns) {
      if (const int c = column.Compare(a, b); c != 0) return c < 0;
    }
    return a < b;
  });
  return order;
}

bool IsAdditive(const ColumnDesc& column) {
  if (column.type != ValueType::kInt && column.type != ValueType::kReal) return false;
  const auto has = [&](std::string_view part) { return ContainsLower(column.id, part); };
  for (const char* no : {"avg", "average", "min_", "max_", "cumulative", "rank", "occupancy",
                         "peak", "rate", "intensity", "utilization", "capacity", "lifetime",
                         "matrix", "allocation_bytes", "requested_bytes"}) {
    if (has(no)) return false;
  }
  // Operations contain others, so only their self times add up.
  if (has("total_time") || has("timeinms") || has("timeinpercent")) return has("self");
  for (const char* yes :
       {"total", "self", "occurrences", "count", "share", "timein", "num_", "bytes", "fraction"}) {
    if (has(yes)) return true;
  }
  return false;
}

double SumOf(const ResultTable& table, size_t column, std::span<const uint32_t> order) {
  double sum = 0;
  for (uint32_t r : order) {
    const double v = NumberOf(table.At(r, column));
    if (std::isfinite(v)) sum += v;
  }
  return sum;
}

ResultTable ShownPart(const ResultTable& table, std::span<const uint32_t> order,
                      std::span<const int> columns) {
  ResultTable part{table.id, table.title};
  for (int c : columns) part.columns.push_back(table.columns[static_cast<size_t>(c)]);
  return part.WithRows(order);
}

std::string ToTsv(const ResultTable& table, std::span<const uint32_t> rows,
                  std::span<const int> columns) {
  std::string out;
  for (uint32_t r : rows) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const auto i = static_cast<size_t>(columns[c]);
      std::string text = RawValue(table.At(r, i));
      std::replace_if(
          text.begin(), text.end(), [](char x) { return x == '\t' || x == '\n' || x == '\r'; },
          ' ');
      if (c > 0) out += '\t';
      out += text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace stepscope
