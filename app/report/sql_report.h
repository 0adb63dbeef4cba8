// Results of SQL as text, JSON or CSV. Rows of JSON and CSV are written as they are found.
#pragma once

#include <memory>

#include "model/base/text_sink.h"
#include "sql/question.h"

namespace stepscope {

// A sink that writes `{"columns": [{"id", "label", "unit", "type"}], "rows": [[value]],
// "total_rows": N}`, or CSV with a header. Borrows the sink of text. Call Finish() after the last
// row.
class SqlWriter : public SqlSink {
 public:
  virtual void Finish(uint64_t total_rows) = 0;
};
std::unique_ptr<SqlWriter> NewSqlJson(const TextSink& sink);
std::unique_ptr<SqlWriter> NewSqlCsv(const TextSink& sink);

// For people: aligned columns with units, and how many rows are left out, if any are.
void WriteSqlText(const ResultTable& table, uint64_t total_rows, bool wide, const TextSink& sink);

}  // namespace stepscope
