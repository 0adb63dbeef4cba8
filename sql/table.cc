#include "sql/table.h"

#include <new>
#include <utility>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

struct TableBox {
  sqlite3_vtab base;  // must be the first member
  std::unique_ptr<SqlTable> table;
};
struct CursorBox {
  sqlite3_vtab_cursor base;  // must be the first member
  std::unique_ptr<SqlCursor> cursor;
};

TableBox& Of(sqlite3_vtab* table) { return *reinterpret_cast<TableBox*>(table); }
SqlCursor& Of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<CursorBox*>(cursor)->cursor; }

// No exception may pass through SQLite.
template <typename Fn>
int Guarded(Fn fn) noexcept {
  try {
    return fn();
  } catch (const Stopped&) {
    return SQLITE_INTERRUPT;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (...) {
    return SQLITE_ERROR;
  }
}

int Fail(const std::string& message, char** error) {
  *error = sqlite3_mprintf("%s", message.c_str());
  return SQLITE_ERROR;
}

// The text of an argument of CREATE VIRTUAL TABLE: 'text' without its quotes.
std::string Unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
    text = text.substr(1, text.size() - 2);
  return text;
}

// Makes the table that CREATE VIRTUAL TABLE names; null if there is none.
std::unique_ptr<SqlTable> MakeTable(SqlSession* session, std::span<const char* const> words) {
  size_t profile = 0;
  while (profile < session->schemas.size() && session->schemas[profile].name != words[1]) ++profile;
  if (profile == session->schemas.size()) return nullptr;
  if (words.size() == 5)
    return MakeReportTable(session, profile, Unquoted(words[3]), Unquoted(words[4]));
  for (const SqlTableDesc& table : SqlTables()) {
    if (words[2] != std::string_view(table.name)) continue;
    if (table.id == SqlTableId::kEvents) return MakeEventsTable(session, profile);
    if (table.id == SqlTableId::kArgs) return MakeArgsTable(session, profile);
    return MakeListTable(session, profile, table.id);
  }
  return nullptr;
}

int Connect(sqlite3* db, void* session, int count, const char* const* words, sqlite3_vtab** out,
            char** error) {
  return Guarded([&] {
    auto box = std::make_unique<TableBox>();
    box->base = {};
    box->table = MakeTable(static_cast<SqlSession*>(session), {words, static_cast<size_t>(count)});
    if (!box->table) return Fail("there is no such table of profiles", error);
    // SQLite may connect to a table in any statement, when it reads its schema again.
    auto* shared = static_cast<SqlSession*>(session);
    const bool before = std::exchange(shared->guard.open, true);
    const int status = sqlite3_declare_vtab(db, box->table->Declaration().c_str());
    shared->guard.open = before;
    if (status != SQLITE_OK) return Fail(sqlite3_errmsg(db), error);
    *out = &box.release()->base;
    return SQLITE_OK;
  });
}

int Disconnect(sqlite3_vtab* table) {
  delete &Of(table);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  return Guarded([&] { return Of(table).table->Plan(info); });
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  return Guarded([&] {
    auto box = std::make_unique<CursorBox>();
    box->base = {};
    box->cursor = Of(table).table->Open();
    *out = &box.release()->base;
    return SQLITE_OK;
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<CursorBox*>(cursor);
  return SQLITE_OK;
}

// Passes the text of an error on to SQLite.
int Said(sqlite3_vtab_cursor* cursor, int status, const std::string& error) {
  if (status != SQLITE_ERROR || error.empty()) return status;
  sqlite3_free(cursor->pVtab->zErrMsg);
  cursor->pVtab->zErrMsg = sqlite3_mprintf("%s", error.c_str());
  return status;
}

int Filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
  return Guarded([&] {
    std::string error;
    const int status =
        Of(cursor).Begin(plan != nullptr ? plan : "", {values, static_cast<size_t>(count)}, &error);
    return Said(cursor, status, error);
  });
}

int Next(sqlite3_vtab_cursor* cursor) {
  return Guarded([&] {
    std::string error;
    const int status = Of(cursor).Next(&error);
    return status == SQLITE_OK ? status : Said(cursor, status, error);
  });
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return Of(cursor).AtEnd() ? 1 : 0; }

int Column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int column) {
  return Guarded([&] { return Of(cursor).Column(to, column); });
}

int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = Of(cursor).RowId();
  return SQLITE_OK;
}

constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.iVersion = 2;
  module.xCreate = Connect;
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xDestroy = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = AtEnd;
  module.xColumn = Column;
  module.xRowid = RowId;
  return module;
}();

}  // namespace

int RegisterTables(sqlite3* db, SqlSession* session) {
  return sqlite3_create_module_v2(db, "stepscope", &kModule, session, nullptr);
}

void GiveText(sqlite3_context* to, std::string_view text) {
  // SQLite makes a null of the null pointer that an empty view may have.
  sqlite3_result_text64(to, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}

void GiveCell(sqlite3_context* to, const SqlCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return sqlite3_result_int64(to, *number);
  if (const auto* real = std::get_if<double>(&cell)) return sqlite3_result_double(to, *real);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return GiveText(to, *text);
  sqlite3_result_null(to);
}

}  // namespace stepscope
