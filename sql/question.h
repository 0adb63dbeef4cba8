// Questions to SqlDatabase and its answers. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "sql/budget.h"

namespace stepscope {

// A value for `:name`, `@name` or `$name`. It is an integer or a real if it reads as one, else a
// text.
struct SqlParameter {
  std::string name;  // without the sign before it
  std::string value;
};
// Parses "NAME=VALUE"; nullopt for anything else.
std::optional<SqlParameter> ParseSqlParameter(std::string_view text);

struct SqlQuestion {
  // Statements, of which the last one's rows are the result. A single line that begins with a dot
  // is `.schema [TABLE]` or `.tables`.
  std::string script;
  std::vector<SqlParameter> parameters;
  SqlLimits limits;
};

struct SqlResultColumn {
  ColumnDesc desc;     // ids are unique
  bool event = false;  // its declared type says that it has ids of events
  // The profile that its events and times are of, by index; nullopt: of one or another.
  std::optional<size_t> profile = 0;
};

// Takes the result while it is found. The types in the columns' descriptions are not known yet.
class SqlSink {
 public:
  virtual ~SqlSink() = default;
  virtual void Begin(std::vector<SqlResultColumn> columns) = 0;
  virtual void Row(std::vector<Value> cells) = 0;
  // Whether rows stay in memory, so that they count as memory of the query.
  virtual bool keeps() const { return false; }
};

struct SqlDone {
  uint64_t rows = 0;  // of the result; the sink got at most SqlLimits::rows
  bool cut(const SqlLimits& limits) const { return limits.rows != 0 && rows > limits.rows; }
};

}  // namespace stepscope
