// A SQLite file from outside, read only and from its bytes. libsqlite3 opens nothing by itself, so
// no journal beside the file is looked at and nothing is written. Only ordinary tables are used: no
// views, triggers, functions or virtual tables. A value is at most 1 MiB; SQLite takes at most 256
// MiB for all open databases together. Where pages are damaged or missing, the rows before them are
// read.
//
// One thread at a time; several databases of one source may be open.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/files/byte_source.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::sqlite {

// A SELECT whose rows come one by one. Does not outlive its database.
class Query {
 public:
  Query(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // False at the end, or where the file is damaged: then damaged() says so.
  bool Next();
  // Begins again, with a value for the `?` of the SELECT.
  void Start(int64_t value);
  bool damaged() const { return damaged_; }

  int columns() const;
  const char* ColumnName(int column) const;
  bool IsNull(int column) const;
  bool IsText(int column) const;  // or bytes
  bool IsReal(int column) const;
  int64_t Int(int column, int64_t missing = 0) const;
  double Real(int column) const;
  std::string_view Text(int column) const;  // valid until the next row

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
  bool damaged_ = false;
};

class Database {
 public:
  // kFormat where the bytes are not a database. `progress`, if not null, gets the file's bytes as
  // its pages are read.
  static Result<std::unique_ptr<Database>> Open(std::shared_ptr<const ByteSource> source,
                                                std::stop_token stop, Progress* progress);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::vector<std::string>& tables() const { return tables_; }  // sorted
  bool Has(std::string_view table) const;
  bool truncated() const;  // the file ends before its last page
  bool out_of_memory() const;
  // Null where the SELECT names a table or column that is not there.
  std::unique_ptr<Query> Select(const std::string& sql) const;

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  Status ListTables();

  std::unique_ptr<Connection> connection_;
  std::vector<std::string> tables_;
};

std::string Quoted(std::string_view name);  // a name for use in SQL

}  // namespace stepscope::sqlite
