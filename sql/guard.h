// What limits a query: Budget ends it, SqlGuard refuses statements.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>

#include "sql/question.h"

namespace stepscope {

// Says when a query has to end: it was cancelled, its time is over, or it takes too much memory.
// SQLite asks it while it works, and so do our own loops. One query, one thread: the one whose job
// (model/jobs/job.h) may be told to stop.
class Budget {
 public:
  enum class End : uint8_t { kNone, kCancelled, kTime, kMemory };

  explicit Budget(const SqlLimits& limits);
  // Whether the query has to end. Reads the clock: loops call it once in some thousand turns.
  bool Over();
  End end() const { return end_; }
  // Counts memory that our functions use beside SQLite's.
  void Use(int64_t bytes) { own_bytes_ += bytes; }

 private:
  const SqlLimits limits_;
  const std::chrono::steady_clock::time_point begin_;
  const int64_t memory_before_;
  int64_t own_bytes_ = 0;
  End end_ = End::kNone;
};

// Refuses statements that SQL may not run (docs/sql.md#limits): files, extensions, writes outside
// of temporary tables, settings of SQLite.
struct SqlGuard {
  bool open = true;    // refuses nothing, for the connection's own statements
  uint32_t reads = 0;  // a bit for each profile whose tables were named since it was set to 0
};

// Limits the connection. Call it when all tables are made. Statements that are not allowed fail to
// be prepared. The guard must outlive the connection.
void GuardConnection(sqlite3* db, SqlGuard* guard);

}  // namespace stepscope
