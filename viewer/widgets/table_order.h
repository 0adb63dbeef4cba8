// Which rows of a table are shown and in which order, and what is exported of it. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/result_table.h"
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

// Whether the sum of the column over rows means something: totals, counts and shares do, averages
// and ranks do not.
bool IsAdditive(const ColumnDesc& column);
double SumOf(const ResultTable& table, size_t column, std::span<const uint32_t> order);

// The shown part as a table of its own, links left out: what ToCsv and TableJson (json_stream.h)
// get.
ResultTable ShownPart(const ResultTable& table, std::span<const uint32_t> order,
                      std::span<const int> columns);
// Rows as lines, cells separated by tabs (tabs and line ends inside become spaces): what is pasted
// into a sheet.
std::string ToTsv(const ResultTable& table, std::span<const uint32_t> rows,
                  std::span<const int> columns);

}  // namespace stepscope
