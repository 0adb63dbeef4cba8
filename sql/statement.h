// Statement: one prepared statement of SQLite, which it owns. A part of SqlDatabase. One thread.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "sql/guard.h"
#include "sql/question.h"

namespace stepscope {

// The profiles whose tables a statement reads, and how many there are.
struct ProfilesRead {
  uint32_t bits = 0;
  size_t known = 1;
  bool several() const { return (bits & (bits - 1)) != 0; }
  std::optional<size_t> Only() const;  // nullopt: several, or none of several
};

class Statement {
 public:
  // Prepares the first statement of the text; returns SQLite's code. A text without a statement
  // gives one that does nothing.
  int Prepare(sqlite3* db, std::string_view text);
  // Tells which profiles the columns can have events of.
  void SetProfiles(ProfilesRead read) { read_ = read; }
  size_t length() const { return length_; }  // of the statement in the text, in bytes
  // kUsage: a parameter of the statement has no value.
  Status Bind(const std::vector<SqlParameter>& parameters);
  // Runs the statement. The sink gets columns and the first `most` rows (0: all); it may be null.
  // False if SQLite failed or the budget is over.
  bool Run(SqlSink* sink, uint64_t most, Budget& budget, uint64_t* rows);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::vector<SqlResultColumn> Columns(bool has_row) const;
  Value CellAt(int column) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  size_t length_ = 0;
  ProfilesRead read_;
  bool compound_ = false;  // whether it has UNION, INTERSECT or EXCEPT
};

}  // namespace stepscope
