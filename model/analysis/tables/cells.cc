#include "model/analysis/tables/cells.h"

#include <cmath>
#include <limits>

namespace stepscope {

bool IsNumber(const ColumnDesc& column) {
  return column.type == ValueType::kInt || column.type == ValueType::kReal;
}

double NumberOf(const Cell& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

Cell CellAt(const ResultTable& table, size_t row, int column) {
  return column >= 0 ? table.At(row, static_cast<size_t>(column)) : Cell();
}

}  // namespace

double NumberAt(const ResultTable& table, size_t row, int column) {
  const double number = NumberOf(CellAt(table, row, column));
  return std::isfinite(number) ? number : 0;
}

double NumberAt(const ResultTable& table, size_t row, std::string_view column) {
  const double number = NumberOf(CellAt(table, row, table.Column(column)));
  return std::isnan(number) ? 0 : number;
}

std::string_view TextAt(const ResultTable& table, size_t row, int column) {
  const Cell cell = CellAt(table, row, column);
  const auto* text = std::get_if<std::string_view>(&cell);
  return text != nullptr ? *text : std::string_view();
}

std::string_view TextAt(const ResultTable& table, size_t row, std::string_view column) {
  return TextAt(table, row, table.Column(column));
}

}  // namespace stepscope
