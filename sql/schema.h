// The tables that every profile has in SQL, with their columns and units. One list makes the
// tables themselves, `.schema`, docs/sql.md and the completion of the window. Tables of reports
// follow from the analyses: the table TABLE of the page PANEL is called PANEL_TABLE
// (kernel_stats_kernels) and has the columns of `stepscope report`. Constants; any thread.
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
  // The unit of a number ("ps"), or the table that an id leads to: "event", "track", "process".
  // Empty for other columns. The declared type has it, so that results know it.
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

// The declared type of a column, such as "INTEGER ps". SQLite takes the first word as the type.
std::string DeclaredType(SqlType type, std::string_view unit);
// The unit in a declared type; kNone for a type without one.
Unit UnitOfDeclared(std::string_view declared);
// The unit that the name of a result's column ends with, as in `total_ps`, `mean_us`, `free_bytes`
// and `share_percent`.
Unit UnitOfName(std::string_view name);

// A name in double quotes, as SQL wants it.
std::string QuotedName(std::string_view name);
// "CREATE TABLE events(...)" on one line, for SQLite. The unit of an event's id names the profile:
// `event` is the first profile's, `event_1` the second's.
std::string DeclarationOf(const SqlTableDesc& table, size_t profile);
// The index of that profile for the declared type of an event's id; nullopt for other types.
std::optional<size_t> EventsOfDeclared(std::string_view declared);
// The declaration for people: a line for each column, with its meaning.
std::string SchemaText(const SqlTableDesc& table);

// The same of a table of a report.
SqlType SqlTypeOf(ValueType type);
std::string ReportTableName(std::string_view panel, const ResultTable& table);
std::string DeclarationOf(std::string_view panel, const ResultTable& table);
std::string SchemaText(std::string_view panel, const ResultTable& table);

// Splits the name of a report's table, in any case of letters. If the ids of several panels begin
// it, the longest counts. `panel` is empty if none does.
struct ReportName {
  std::string panel, table;
};
ReportName SplitReportName(std::string_view name);

}  // namespace stepscope
