// Whole rows of a ResultTable, for tests that make tables or compare them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope::test {

inline std::vector<Value> RowOf(const ResultTable& table, size_t row) {
  std::vector<Value> cells;
  for (const TableColumn& column : table.columns) cells.push_back(column.values.Own(row));
  return cells;
}

inline std::vector<std::vector<Value>> RowsOf(const ResultTable& table) {
  std::vector<std::vector<Value>> rows;
  for (size_t row = 0; row < table.size(); ++row) rows.push_back(RowOf(table, row));
  return rows;
}

// Replaces all rows. Cells that are left out at the end of a row are absent.
inline void SetRows(ResultTable* table, std::vector<std::vector<Value>> rows) {
  for (TableColumn& column : table->columns) column.values = ColumnValues(column.type);
  for (std::vector<Value>& row : rows) table->AddRow(std::move(row));
}

inline ResultTable TableWith(std::string id, std::string title, std::vector<ColumnDesc> columns,
                             std::vector<std::vector<Value>> rows) {
  ResultTable table(std::move(id), std::move(title), std::move(columns));
  SetRows(&table, std::move(rows));
  return table;
}

inline void SetCell(ResultTable* table, size_t row, size_t column, Value value) {
  std::vector<std::vector<Value>> rows = RowsOf(*table);
  rows[row][column] = std::move(value);
  SetRows(table, std::move(rows));
}

}  // namespace stepscope::test
