// The tables that every profile has in SQL, with their columns and units. One list makes the
// tables themselves, `.schema`, docs/sql.md and the completion of the window. Tables of reports
// follow from the analyses (report_tables.h). Constants; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

enum class SqlType : uint8_t { kInteger, kReal, kText, kAny };

struct SqlColumn {
  const char* name;
  SqlType type;
  // The unit of a number, or the thing it names: "ps", "event" (the id of a row of `events`),
  // "track", "process"; empty where nothing needs to be said. Part of the declared type, so that
  // results know it.
  const char* unit;
  const char* what;  // for people, without a full stop
};

enum class SqlTableId : uint8_t {
  kEvents,
  kArgs,
  kTracks,
  kProcesses,
  kSteps,
  kCounters,
  kFlows,
  kPrograms
};

struct SqlTableDesc {
  SqlTableId id;
  const char* name;
  const char* what;
  std::span<const SqlColumn> columns;
};

std::span<const SqlTableDesc> SqlTables();  // by SqlTableId

// The indices of columns of `events`, in the order of the list.
enum class EventColumn : int {
  kId,
  kBegin,
  kDur,
  kSelf,
  kName,
  kCategory,
  kTrack,
  kDepth,
  kParent,
  kStep,
  kLaunch,
  kInstant
};

// "INTEGER ps": what a column is declared as. SQLite takes the first word as the type.
std::string DeclaredType(SqlType type, std::string_view unit);
// The unit that a declared type names; kNone if it names none.
Unit UnitOfDeclared(std::string_view declared);
// The unit that the name of a column of a result says: `total_ps`, `mean_us`, `free_bytes`,
// `share_percent`.
Unit UnitOfName(std::string_view name);

// A name in double quotes, as SQL wants it.
std::string QuotedName(std::string_view name);
// "CREATE TABLE events(...)" on one line, for SQLite. Ids of events say by their unit of which of
// several profiles they are: `event` of the first, `event_1` of the second.
std::string DeclarationOf(const SqlTableDesc& table, size_t profile);
// The index of the profile of whose events a declared type has ids; nullopt for other types.
std::optional<size_t> EventsOfDeclared(std::string_view declared);
// The same for people: a line for each column, with what it means.
std::string SchemaText(const SqlTableDesc& table);

}  // namespace stepscope
