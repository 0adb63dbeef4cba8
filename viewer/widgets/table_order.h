// Chooses the rows of a table that are shown, their order, and what is exported. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "viewer/widgets/table_filter.h"

namespace stepscope {

struct SortKey {
  int column = 0;  // of the table's data
  bool descending = false;
  bool operator==(const SortKey&) const = default;
};

// Rows that pass the filter, sorted by the keys; rows that compare equal keep the order of the
// data. Missing values come last either way. O(n log n); text is compared by bytes.
std::vector<uint32_t> MakeOrder(const ResultTable& table, const TableFilter& filter,
                                std::span<const SortKey> keys);

// Whether the sum of a column over rows is meaningful: that of totals, counts and shares is, that
// of averages and ranks is not.
bool IsAdditive(const ColumnDesc& column);
double SumOf(const ResultTable& table, size_t column, std::span<const uint32_t> order);

// The shown part as a table without links, for ToCsv and TableJson (json_stream.h).
ResultTable ShownPart(const ResultTable& table, std::span<const uint32_t> order,
                      std::span<const int> columns);
// Rows as lines with cells separated by tabs, for pasting into a spreadsheet. Tabs and line ends
// inside a cell become spaces.
std::string ToTsv(const ResultTable& table, std::span<const uint32_t> rows,
                  std::span<const int> columns);

}  // namespace stepscope
