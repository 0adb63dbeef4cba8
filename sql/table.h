// Virtual tables of SQLite: SqlTable and SqlCursor, a pass over a table. table.cc has SQLite's C
// structures around them. Cursors and tables belong to one connection and its thread.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/guard.h"
#include "sql/lists.h"
#include "sql/source.h"

namespace stepscope {

struct SqlSchema {
  std::string name;  // "a"
  std::shared_ptr<SqlSource> source;
};

// The state that the tables of one connection share.
struct SqlSession {
  std::vector<SqlSchema> schemas;
  Budget* budget = nullptr;  // of the query that runs
  SqlGuard guard;
};

// Functions return a code of SQLite: SQLITE_OK; SQLITE_INTERRUPT if the budget is over;
// SQLITE_ERROR with *error set. They may throw, also Stopped.
class SqlCursor {
 public:
  virtual ~SqlCursor() = default;
  virtual int Begin(std::string_view plan, std::span<sqlite3_value*> values,
                    std::string* error) = 0;
  virtual int Next(std::string* error) = 0;
  virtual bool AtEnd() const = 0;
  virtual int Column(sqlite3_context* to, int column) = 0;
  virtual sqlite3_int64 RowId() const = 0;
};

class SqlTable {
 public:
  virtual ~SqlTable() = default;
  virtual std::string Declaration() const = 0;
  virtual int Plan(sqlite3_index_info* info) = 0;
  virtual std::unique_ptr<SqlCursor> Open() = 0;
};

// Lets `CREATE VIRTUAL TABLE SCHEMA.NAME USING stepscope` make a table, and `USING
// stepscope(ANALYSIS, TABLE)` the table of a report. The session must outlive the connection.
int RegisterTables(sqlite3* db, SqlSession* session);

// `profile` is an index into session->schemas.
std::unique_ptr<SqlTable> MakeEventsTable(SqlSession* session, size_t profile);
std::unique_ptr<SqlTable> MakeArgsTable(SqlSession* session, size_t profile);
// The list is made when a query reads it first.
std::unique_ptr<SqlTable> MakeListTable(SqlSession* session, size_t profile, SqlTableId table);
// Null if the report has no such table.
std::unique_ptr<SqlTable> MakeReportTable(SqlSession* session, size_t profile,
                                          const std::string& analysis, const std::string& table);

void GiveCell(sqlite3_context* to, const SqlCell& cell);
void GiveText(sqlite3_context* to, std::string_view text);  // the text must outlive the query

// Adds functions that SQLite lacks: median(x), percentile(x, percent) and stddev(x). Percentiles
// are by nearest rank, as in `stepscope events --stats`; the deviation is that of the population.
// Nulls and texts are left out. The session must outlive the connection; its budget counts memory.
int RegisterFunctions(sqlite3* db, SqlSession* session);

}  // namespace stepscope
