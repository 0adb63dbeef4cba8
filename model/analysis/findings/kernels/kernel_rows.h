// KernelRows: the cells of the table `kernels` that rules read. Views the table, which must outlive
// it. O(1) each.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "model/analysis/tables/cells.h"
#include "model/analysis/tables/result_table.h"
#include "model/time.h"

namespace stepscope {

class KernelRows {
 public:
  explicit KernelRows(const ResultTable& table)
      : table_(table),
        name_(Index("kernel_name")),
        op_(Index("op_name")),
        total_(Index("total_duration_us")),
        count_(Index("occurrences")),
        eligible_(Index("is_op_tensor_core_eligible")),
        uses_(Index("uses_matrix_unit")) {}

  // Whether the table has all columns that are asked for; else no other function may be called.
  bool known() const {
    const size_t n = table_.columns.size();
    return name_ < n && op_ < n && total_ < n && count_ < n && eligible_ < n && uses_ < n;
  }
  size_t size() const { return table_.rows.size(); }
  const ResultTable& table() const { return table_; }
  double us(size_t row) const {
    const auto* d = std::get_if<double>(&table_.rows[row][total_]);
    return d != nullptr ? *d : 0;
  }
  Ps total(size_t row) const {
    return std::llround(us(row) * static_cast<double>(kPsPerUs));  // exact up to an hour
  }
  int64_t count(size_t row) const {
    const auto* n = std::get_if<int64_t>(&table_.rows[row][count_]);
    return n != nullptr ? *n : 0;
  }
  bool eligible(size_t row) const { return Is(row, eligible_); }
  bool uses(size_t row) const { return Is(row, uses_); }
  std::string_view op(size_t row) const { return TextIn(row, op_); }
  std::string_view name(size_t row) const { return TextIn(row, name_); }  // as recorded
  std::string_view shown(size_t row) const {                              // as people read it
    return table_.ShownText(row, static_cast<int>(name_));
  }
  EventRows events(size_t row) const {
    return row < table_.links.size() ? table_.links[row].rows : EventRows();
  }

 private:
  size_t Index(const char* id) const { return static_cast<size_t>(table_.Column(id)); }
  std::string_view TextIn(size_t row, size_t column) const {
    return TextAt(table_.rows[row], static_cast<int>(column));
  }
  bool Is(size_t row, size_t column) const {
    return TrueAt(table_.rows[row], static_cast<int>(column));
  }
  const ResultTable& table_;
  const size_t name_, op_, total_, count_, eligible_, uses_;
};

}  // namespace stepscope
