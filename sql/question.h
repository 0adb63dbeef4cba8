// Questions to SqlDatabase and its answers, and the text of a question. Values and pure functions;
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

struct SqlLimits {
  double seconds = 0;      // 0: as long as it takes
  uint64_t bytes = 0;      // of memory that SQLite may use for the query; 0: no limit
  uint64_t rows = 100000;  // of a result; more are counted, not kept; 0: no limit
};

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
  bool event = false;  // whether the declared type says that the cells are ids of events
  // The index of the profile that the events and times are of; nullopt: they are of several.
  std::optional<size_t> profile = 0;
};

// Gets the result while the query runs. The types in the columns' descriptions are not known yet.
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

// Whether the text has only blanks, comments and semicolons. O(length).
bool IsBlankSql(std::string_view text);
// Whether a statement puts results together (UNION, INTERSECT, EXCEPT), anywhere in it. O(length).
bool IsCompoundSql(std::string_view statement);
// Where a byte stands in the text: "line 2, column 5", counted from 1 in characters.
std::string PlaceIn(std::string_view text, size_t byte);

}  // namespace stepscope
