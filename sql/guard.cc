#include "sql/guard.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

bool IsTemporary(const char* schema) {
  return schema != nullptr && std::string_view(schema) == "temp";
}

// Pragmas that only read.
bool IsReadingPragma(const char* name) {
  static constexpr std::array<std::string_view, 8> kReading = {
      "table_info",    "table_xinfo",    "table_list",      "index_list",
      "function_list", "collation_list", "compile_options", "index_info"};
  const std::string_view asked = name != nullptr ? name : "";
  return std::any_of(kReading.begin(), kReading.end(), [&](std::string_view known) {
    return sqlite3_stricmp(known.data(), asked.data()) == 0;
  });
}

bool IsFileFunction(const char* name) {
  static constexpr std::array<const char*, 6> kRefused = {
      "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fileio_readdir"};
  return std::any_of(kRefused.begin(), kRefused.end(), [&](const char* refused) {
    return name == nullptr || sqlite3_stricmp(refused, name) == 0;
  });
}

void NoteRead(const char* schema, SqlGuard* guard) {
  if (schema != nullptr && schema[0] >= 'a' && schema[0] <= 'j' && schema[1] == 0)
    guard->reads |= 1u << (schema[0] - 'a');
}

int Authorize(void* of, int action, const char* first, const char* second, const char* schema,
              const char*) {
  auto* guard = static_cast<SqlGuard*>(of);
  if (guard->open) return SQLITE_OK;
  if (action == SQLITE_READ) NoteRead(schema, guard);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TRIGGER:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_REINDEX:  // a part of CREATE INDEX
    case SQLITE_ALTER_TABLE:
      return IsTemporary(action == SQLITE_ALTER_TABLE ? first : schema) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return IsFileFunction(second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return IsReadingPragma(first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void GuardConnection(sqlite3* db, SqlGuard* guard) {
  for (const int off :
       {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER})
    sqlite3_db_config(db, off, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 500);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 2000);  // it recurses at each wildcard
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(db, Authorize, guard);
}

Budget::Budget(const SqlLimits& limits)
    : limits_(limits),
      begin_(std::chrono::steady_clock::now()),
      memory_before_(sqlite3_memory_used()) {}

bool Budget::Over() {
  if (end_ != End::kNone) return true;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const int64_t used = sqlite3_memory_used() - memory_before_ + own_bytes_;
  if (StopRequested()) {
    end_ = End::kCancelled;
  } else if (limits_.seconds > 0 && spent.count() > limits_.seconds) {
    end_ = End::kTime;
  } else if (limits_.bytes > 0 && used > 0 && static_cast<uint64_t>(used) > limits_.bytes) {
    end_ = End::kMemory;
  }
  return end_ != End::kNone;
}

}  // namespace stepscope
