// Refuses statements that SQL may not run (docs/sql.md#limits): files, extensions, writes outside
// of temporary tables, settings of SQLite.
#pragma once

#include <sqlite3.h>

namespace stepscope {

// Limits the connection. Call it when all tables are made. Statements that are not allowed fail to
// be prepared. `*open` true suspends the limits, for the connection's own statements.
void GuardConnection(sqlite3* db, bool* open);

}  // namespace stepscope
