// Refuses statements that SQL may not run (docs/sql.md#limits): files, extensions, writes outside
// of temporary tables, settings of SQLite.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace stepscope {

struct SqlGuard {
  bool open = true;    // suspends the limits, for the connection's own statements
  uint32_t reads = 0;  // a bit for each profile whose tables were named since it was set to 0
};

// Limits the connection. Call it when all tables are made. Statements that are not allowed fail to
// be prepared. The guard must outlive the connection.
void GuardConnection(sqlite3* db, SqlGuard* guard);

}  // namespace stepscope
