// This folder answers questions about profiles in SQL. SQLite parses and runs the queries; its
// tables are virtual ones that read the store of model/ (no event is copied into a database).
// `stepscope sql`, the panel Query and the C library use it. Start reading here, then schema.h (the
// tables), event_plan.h (which conditions they answer themselves) and events_table.cc.
//
// SqlDatabase holds profiles for questions about all of them. The first profile is the schema `a`,
// the second `b` and so on; SQLite looks up a name without a schema in this order. Only temporary
// tables can be written; no file is opened, no extension loaded. One thread at a time; several
// databases may share sources on several threads. docs/sql.md is the manual for people.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/base/status.h"
#include "sql/question.h"
#include "sql/source.h"

namespace stepscope {

inline constexpr size_t kMostSqlProfiles = 10;  // SQLite attaches no more schemas

class SqlDatabase {
 public:
  // kUsage: no profiles, or more than kMostSqlProfiles.
  static Result<SqlDatabase> Open(const std::vector<std::shared_ptr<SqlSource>>& profiles);
  SqlDatabase(SqlDatabase&&) noexcept;
  SqlDatabase& operator=(SqlDatabase&&) noexcept;
  ~SqlDatabase();

  // Runs the script. Errors, one line each: kUsage for wrong SQL, with line and column counted from
  // 1; kLimit for a query that takes more time or memory than allowed; kCancelled for one whose job
  // was told to stop.
  Result<SqlDone> Run(const SqlQuestion& question, SqlSink& sink);

 private:
  struct State;
  explicit SqlDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A whole result as a table. Columns get their type from their cells. A row with the id of an event
// links to the event; a row with a begin and a duration in ps links to that time.
struct SqlTableResult {
  ResultTable table;
  uint64_t total_rows = 0;  // the table has at most SqlLimits::rows of them
  // The index of the profile that each link of the table leads to.
  std::vector<uint8_t> link_profiles = {};
};
Result<SqlTableResult> RunForTable(SqlDatabase& database, const SqlQuestion& question);

}  // namespace stepscope
