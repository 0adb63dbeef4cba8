// This folder answers questions about profiles in SQL. SQLite parses and runs the queries; its
// tables are virtual ones that read the store of model/ (no event is copied into a database).
// `stepscope sql`, the panel Query and the C library use it. Start reading here, then schema.h (the
// tables), event_plan.h (which conditions they answer themselves) and event_scan.h.
//
// SqlDatabase: profiles that can be asked together. The first is the schema `a`, the second `b` and
// so on; names without a schema are those of the first that has them. It is read-only but for
// temporary tables, opens no files, and loads no extensions. One thread at a time; several
// databases may share sources on several threads. docs/sql.md says what a person may write.
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
  // kUsage: no profiles, or more than kMostSqlProfiles. `push_down` false makes tables leave all
  // conditions to SQLite, for tests.
  static Result<SqlDatabase> Open(const std::vector<std::shared_ptr<SqlSource>>& profiles,
                                  bool push_down = true);
  SqlDatabase(SqlDatabase&&) noexcept;
  SqlDatabase& operator=(SqlDatabase&&) noexcept;
  ~SqlDatabase();

  // Runs the script. Errors, one line each: kUsage for what is wrong with the SQL, with line and
  // column counted from 1; kLimit where it takes longer or more memory than allowed; kCancelled
  // where the job of the thread was told to stop.
  Result<SqlDone> Run(const SqlQuestion& question, SqlSink& sink);

 private:
  struct State;
  explicit SqlDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A result as a table, for those that need all of it at once. Columns get their type from their
// cells. Rows with an event's id, or with a begin and a duration in ps, link to it.
struct SqlTableResult {
  ResultTable table;
  uint64_t total_rows = 0;  // the table has at most SqlLimits::rows of them
  // By link of the table: the index of the profile that it leads into.
  std::vector<uint8_t> link_profiles = {};
};
Result<SqlTableResult> RunForTable(SqlDatabase& database, const SqlQuestion& question);

}  // namespace stepscope
