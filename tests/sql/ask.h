// Asks profiles in SQL, for tests.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "sql/database.h"
#include "tests/support/table_rows.h"

namespace stepscope::test {

inline std::shared_ptr<const Trace> LoadTrace(const std::string& path) {
  Progress progress;
  auto loaded = LoadPath(path, {}, {}, progress, nullptr);
  REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
  return std::move(loaded).value();
}

inline std::shared_ptr<SqlSource> SourceOf(std::shared_ptr<const Trace> trace) {
  return std::make_shared<SqlSource>(
      std::make_shared<AnalysisContext>(std::move(trace), Definitions::kStepscope));
}

inline SqlDatabase DatabaseOf(std::vector<std::shared_ptr<SqlSource>> sources) {
  Result<SqlDatabase> database = SqlDatabase::Open(std::move(sources));
  REQUIRE_MESSAGE(database.ok(), database.status().message());
  return std::move(database).value();
}

// The rows as text, a line each with commas between the cells; "error: ..." if there is one.
inline std::string AnswerOf(SqlDatabase& database, const SqlQuestion& question) {
  const Result<SqlTableResult> result = RunForTable(database, question);
  if (!result.ok()) return "error: " + result.status().message();
  std::string text;
  for (const std::vector<Value>& row : test::RowsOf(result->table)) {
    for (size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + RawValue(row[c]);
    text += "\n";
  }
  return text;
}
inline std::string AnswerOf(SqlDatabase& database, const std::string& script) {
  return AnswerOf(database, SqlQuestion{script, {}, {}});
}

}  // namespace stepscope::test
