#include "model/analysis/tables/cells.h"

#include <cmath>
#include <limits>

namespace stepscope {

bool IsNumber(const ColumnDesc& column) {
  return column.type == ValueType::kInt || column.type == ValueType::kReal;
}

double NumberOf(const Value& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  return std::numeric_limits<double>::quiet_NaN();
}

double NumberAt(const std::vector<Value>& row, int column) {
  const auto c = static_cast<size_t>(column);
  const double number = column >= 0 && c < row.size() ? NumberOf(row[c]) : 0;
  return std::isfinite(number) ? number : 0;
}

double NumberAt(const ResultTable& table, size_t row, std::string_view column) {
  const int c = table.Column(column);
  const double number = c >= 0 ? NumberOf(table.rows[row][static_cast<size_t>(c)]) : 0;
  return std::isnan(number) ? 0 : number;
}

bool TrueAt(const std::vector<Value>& row, int column) {
  const auto c = static_cast<size_t>(column);
  const bool* b = column >= 0 && c < row.size() ? std::get_if<bool>(&row[c]) : nullptr;
  return b != nullptr && *b;
}

std::string_view TextAt(const std::vector<Value>& row, int column) {
  const auto c = static_cast<size_t>(column);
  const auto* text = column >= 0 && c < row.size() ? std::get_if<SharedText>(&row[c]) : nullptr;
  return text != nullptr ? text->view() : std::string_view();
}

std::string_view TextAt(const ResultTable& table, size_t row, std::string_view column) {
  return TextAt(table.rows[row], table.Column(column));
}

}  // namespace stepscope
