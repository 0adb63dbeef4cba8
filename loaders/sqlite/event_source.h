// The arguments of events that are rows of tables, read again from the file when someone asks.
// Versions of a writer differ in their columns, so a value is asked for by several expressions, and
// the first one that the file understands is used.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/sqlite/database.h"
#include "model/stats.h"

namespace stepscope::sqlite {

struct IntExpression {
  IntStat stat;
  const char* sql;
};

// A column that holds the rowid of a row in another table, and the column that is shown instead.
struct Reference {
  const char* column;
  std::string table;
  const char* shown;  // its column there
};

// A table of events. Its FROM clause may join other tables by their rowid, in O(log n) a row.
struct EventTable {
  std::string name;
  std::string from;                     // "T" AS e LEFT JOIN …; e is the table
  std::span<const IntExpression> ints;  // the first of a stat that the file understands is used
  std::vector<Reference> references;
};

// One file of a trace. An event's reference is its rowid and the number of its table.
struct EventFile {
  static constexpr uint64_t kTables = 64;
  static constexpr int64_t kMostRows = int64_t{1} << 56;
  static uint64_t RefOf(size_t table, int64_t rowid) {
    const bool known = table < kTables && rowid >= 0 && rowid < kMostRows;
    return known ? static_cast<uint64_t>(rowid) * kTables + table : ~uint64_t{0};
  }
  std::shared_ptr<const ByteSource> source;
  std::vector<EventTable> tables;
};

// SELECT of the expressions, each replaced by the first of its alternatives (apart by ';') that the
// table has, or by NULL. Column 0 is the rowid, ascending. Null where there is no such table.
std::unique_ptr<Query> SelectFirst(const Database& database, const std::string& from,
                                   std::span<const char* const> expressions);

// Walks the rows of such a SELECT while rowids ascend: pages of a damaged file that refer to each
// other in circles would never end.
class RowScan {
 public:
  explicit RowScan(std::unique_ptr<Query> query) : query_(std::move(query)) {}
  bool Next();
  bool readable() const { return query_ != nullptr; }
  bool damaged() const { return damaged_ || (query_ != nullptr && query_->damaged()); }
  int64_t rowid() const { return rowid_; }
  const Query& row() const { return *query_; }

 private:
  std::unique_ptr<Query> query_;
  int64_t rowid_ = 0;
  bool started_ = false, damaged_ = false;
};

std::shared_ptr<const StatSource> MakeEventSource(std::vector<EventFile> files);

}  // namespace stepscope::sqlite
