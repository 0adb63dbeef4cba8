// SqlList: the rows of a small table: tracks, processes, steps, counters, flows, programs, tables
// of reports. A list reads the trace or the report and copies nothing. Immutable; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/analysis/analysis.h"
#include "sql/schema.h"

namespace stepscope {

// A text lives as long as the list. Flags are integers.
using SqlCell = std::variant<std::monostate, int64_t, double, std::string_view>;

class SqlList {
 public:
  virtual ~SqlList() = default;
  virtual size_t size() const = 0;
  virtual SqlCell Cell(size_t row, int column) const = 0;
};

// Makes the list of a table other than `events` and `args`. Borrows the context.
std::unique_ptr<const SqlList> MakeList(SqlTableId table, AnalysisContext& context);
// Borrows the table.
std::unique_ptr<const SqlList> ListOf(const ResultTable& table);

// The rows of a list, sorted by the values of an integer column. Rows without a value are missing.
struct IntegerIndex {
  bool usable = false;  // false: some values are no integers
  std::vector<std::pair<int64_t, uint32_t>> rows;
  std::span<const std::pair<int64_t, uint32_t>> Equal(int64_t value) const;
};
// O(n log n).
IntegerIndex IndexIntegers(const SqlList& list, int column);

}  // namespace stepscope
