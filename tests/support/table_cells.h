// Cells of an analysis' result by table, row and column, for tests. A table, row or column that
// is not there ends the test.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>

#include "model/analysis/analysis.h"
#include "tests/support/loaded.h"

namespace stepscope::test {

inline const ResultTable& TableOf(const AnalysisResult& result, const char* table) {
  const ResultTable* t = result.Table(table);
  REQUIRE_MESSAGE(t != nullptr, table);
  return *t;
}

inline Value CellOf(const AnalysisResult& result, const char* table, size_t row,
                    const char* column) {
  const ResultTable& t = TableOf(result, table);
  REQUIRE(row < t.size());
  REQUIRE_MESSAGE(t.Column(column) >= 0, column);
  return t.columns[static_cast<size_t>(t.Column(column))].values.Own(row);
}

inline double Real(const AnalysisResult& result, const char* table, size_t row,
                   const char* column) {
  const Value value = CellOf(result, table, row, column);
  REQUIRE_MESSAGE(std::holds_alternative<double>(value), column);
  return std::get<double>(value);
}

inline int64_t Int(const AnalysisResult& result, const char* table, size_t row,
                   const char* column) {
  const Value value = CellOf(result, table, row, column);
  REQUIRE_MESSAGE(std::holds_alternative<int64_t>(value), column);
  return std::get<int64_t>(value);
}

inline std::string Text(const AnalysisResult& result, const char* table, size_t row,
                        const char* column) {
  return RawValue(CellOf(result, table, row, column));
}

inline bool Unknown(const AnalysisResult& result, const char* table, size_t row,
                    const char* column) {
  return std::holds_alternative<std::monostate>(CellOf(result, table, row, column));
}

// NaN if there is no such number.
inline double PropertyReal(const AnalysisResult& result, const char* id) {
  const Property* p = result.Find(id);
  const double* real = p != nullptr ? std::get_if<double>(&p->value) : nullptr;
  return real != nullptr ? *real : std::numeric_limits<double>::quiet_NaN();
}

inline std::string PropertyText(const AnalysisResult& result, const char* id) {
  const Property* p = result.Find(id);
  REQUIRE_MESSAGE(p != nullptr, id);
  return RawValue(p->value);
}

inline AnalysisResult Analyse(const std::string& file, const std::string& bytes,
                              const char* analysis,
                              Definitions definitions = Definitions::kStepscope) {
  AnalysisContext context(Loaded(file, bytes), definitions);
  return FindAnalysis(analysis)->run(context, {});
}

}  // namespace stepscope::test
