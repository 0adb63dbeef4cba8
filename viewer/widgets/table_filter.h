// TableFilter: the text of a table's filter box, parsed once and asked per row. Terms are separated
// by spaces, all must hold; quotes keep spaces; a leading '-' negates.
//   MatMul              a text column contains it in any case; mangled names match in both forms
//   op:MatMul           the column whose id or label matches "op" contains it; bools are yes and no
//   =MatMul  op=MatMul  a text column is exactly this text; != negates
//   avg>100us  col<=5   compares a number; a bare number is in the column's unit; =, != too
//   >100us              the same for the first column of that dimension, the sorted one first
// A term that does not parse, for example one with an unknown column, is plain text, because kernel
// names contain ':' and '<'. Parse is O(columns), Matches O(terms * columns). Thread-safe once
// parsed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

class TableFilter {
 public:
  // `preferred` is the column that a bare comparison means if its unit fits, or -1.
  static TableFilter Parse(std::string_view text, const ResultTable& table, int preferred = -1);
  bool Matches(const ResultTable& table, size_t row) const;
  bool empty() const { return terms_.empty(); }
  // How the text was understood: "Average > 100us and text has \"MatMul\"".
  const std::string& explanation() const { return explanation_; }

 private:
  enum class Op { kContains, kIs, kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };
  struct Term {
    Op op = Op::kContains;
    int column = -1;  // -1: any text column
    bool negate = false;
    std::string text;   // kContains: in lower case
    double number = 0;  // in the column's unit
  };
  static bool ParseComparison(std::string_view word, const ResultTable& table, int preferred,
                              Term* term);
  static bool ParseColumnText(std::string_view word, const ResultTable& table, Term* term);
  static bool ParseWholeText(std::string_view word, const ResultTable& table, Term* term);
  static bool Holds(const Term& term, const ResultTable& table, size_t row);
  static bool HoldsOfReadable(const Term& term, const ResultTable& table, size_t row);
  void Explain(const Term& term, std::string_view word, const ResultTable& table);

  std::vector<Term> terms_;
  std::string explanation_;
};

// The column that a person means by `name`: id or label equal, then beginning with, then containing
// it; case, spaces and underscores do not matter. -1 if none.
int FindColumnByName(const ResultTable& table, std::string_view name);

// Chooses the rows of a table that are shown, their order, and what is exported. Pure functions.
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
