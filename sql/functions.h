// Functions that SQL about times needs and SQLite lacks: median(x), percentile(x, percent) and
// stddev(x). Percentiles are by nearest rank, as in `stepscope events --stats`; the deviation is
// that of the population. Nulls and texts are left out.
#pragma once

#include <sqlite3.h>

#include "sql/table.h"

namespace stepscope {

// The session must outlive the connection; its budget is told about memory.
int RegisterFunctions(sqlite3* db, SqlSession* session);

}  // namespace stepscope
