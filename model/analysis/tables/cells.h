// Reads cells of a ResultTable as numbers and texts. Pure, thread-safe, O(columns).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

// Whether the cells of the column are numbers, whole or real.
bool IsNumber(const ColumnDesc& column);
// Value of a number or bool; NaN for anything else.
double NumberOf(const Cell& value);
inline double NumberOf(const Value& value) { return NumberOf(ViewOf(value)); }
// The finite number of a cell; 0 if it is none or there is no such column.
double NumberAt(const ResultTable& table, size_t row, int column);
// The number of a row that exists, by the column's id; 0 if there is none.
double NumberAt(const ResultTable& table, size_t row, std::string_view column);
// The text of a cell; empty if it is none or there is no such column.
std::string_view TextAt(const ResultTable& table, size_t row, int column);
std::string_view TextAt(const ResultTable& table, size_t row, std::string_view column);

}  // namespace stepscope
