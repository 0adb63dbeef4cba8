#include "viewer/widgets/table_order.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
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
