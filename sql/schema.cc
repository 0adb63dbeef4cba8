#include "sql/schema.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

using enum SqlType;

constexpr const char* kEvent = "event";

constexpr SqlColumn kEventColumns[] = {
    {"id", kInteger, kEvent, "the event; ids of a profile are the same whenever it is opened"},
    {"begin_ps", kInteger, "ps", "when it begins, from the trace's origin"},
    {"dur_ps", kInteger, "ps", "how long it takes; 0 for instants"},
    {"self_ps", kInteger, "ps", "the duration less that of the events one depth down"},
    {"name", kText, "", "the name, as it stands in the file"},
    {"category", kText, "",
     "`cat` of the file, else `kernel`, `gpu_memcpy`, `cpu_op` and the like; null if unknown"},
    {"track_id", kInteger, "track", "the track that it is on: `tracks.id`"},
    {"depth", kInteger, "", "how many rows below the track's first it is drawn"},
    {"parent_id", kInteger, kEvent, "the event that encloses it on its track; null if none does"},
    {"step", kInteger, "",
     "the number of its step: that in which it begins, on a device that which launched it; or "
     "null"},
    {"launch_id", kInteger, kEvent,
     "the call on the host that launched it; null on hosts and where it is unknown"},
    {"instant", kInteger, "", "1 for events that have no duration, else 0"},
};

constexpr SqlColumn kArgColumns[] = {
    {"event_id", kInteger, kEvent, "the event that has the argument"},
    {"key", kText, "", "the name of the argument"},
    {"value", kAny, "", "the value: an integer, a real or a text, as in the file"},
};

constexpr SqlColumn kTrackColumns[] = {
    {"id", kInteger, "track", "the track"},
    {"process_id", kInteger, "process", "the process that it belongs to: `processes.id`"},
    {"name", kText, "", "the name, as it stands in the file"},
    {"number", kInteger, "", "the number of the stream, thread or line in the file"},
    {"events", kInteger, "", "how many events it has, instants among them"},
    {"busy_ps", kInteger, "ps", "the time of its outermost events together"},
};

constexpr SqlColumn kProcessColumns[] = {
    {"id", kInteger, "process", "the process, or plane: a device, or the threads of a host"},
    {"host", kText, "", "the host that it ran on"},
    {"name", kText, "", "the name, as it stands in the file"},
    {"title", kText, "", "the name that the window shows"},
    {"kind", kText, "", "`gpu`, `tpu`, `host` or `other`"},
    {"device", kInteger, "", "the number of the device; null where there is none"},
};

constexpr SqlColumn kStepColumns[] = {
    {"id", kInteger, "", "the place of the step in the list, from 0"},
    {"number", kInteger, "", "the number that people give it, as in `--steps`; on each host"},
    {"name", kText, "", "the name, such as `train 3`"},
    {"host", kText, "", "the host that it ran on"},
    {"begin_ps", kInteger, "ps", "when it begins"},
    {"dur_ps", kInteger, "ps", "how long it takes"},
    {"counts", kInteger, "", "1 where averages count the step, else 0"},
};

constexpr SqlColumn kCounterColumns[] = {
    {"track_id", kInteger, "track", "the track of the counter"},
    {"name", kText, "", "the series of the counter"},
    {"time_ps", kInteger, "ps", "from when on the value holds"},
    {"value", kReal, "", "the value, in the unit of the file"},
};

constexpr SqlColumn kFlowColumns[] = {
    {"id", kInteger, "", "the arrow's number in the file"},
    {"category", kText, "", "the category in the file"},
    {"from_id", kInteger, kEvent, "the event that it begins at"},
    {"to_id", kInteger, kEvent, "the event that it ends at"},
};

constexpr SqlColumn kProgramColumns[] = {
    {"id", kText, "", "the id that events name as their `program_id`"},
    {"name", kText, "", "the name of the module"},
    {"bytes", kInteger, "bytes", "the size of the program in the file"},
};

constexpr SqlTableDesc kTables[] = {
    {SqlTableId::kEvents, "events", "The slices and instants of the file", kEventColumns},
    {SqlTableId::kArgs, "args", "The arguments of events, read from the file when asked for",
     kArgColumns},
    {SqlTableId::kTracks, "tracks", "The streams, threads and counters", kTrackColumns},
    {SqlTableId::kProcesses, "processes", "The devices and hosts", kProcessColumns},
    {SqlTableId::kSteps, "steps", "The steps of the program", kStepColumns},
    {SqlTableId::kCounters, "counters", "The samples of counters", kCounterColumns},
    {SqlTableId::kFlows, "flows", "The arrows between events that the file has", kFlowColumns},
    {SqlTableId::kPrograms, "programs", "XLA's programs", kProgramColumns},
};

constexpr std::pair<std::string_view, Unit> kUnits[] = {
    {"ps", Unit::kPs},         {"ns", Unit::kNs},           {"us", Unit::kUs},
    {"ms", Unit::kMs},         {"percent", Unit::kPercent}, {"fraction", Unit::kFraction},
    {"bytes", Unit::kBytes},   {"GiB", Unit::kGiB},         {"count", Unit::kCount},
    {"Gflops", Unit::kGflops},
};

Unit FindUnit(std::string_view name) {
  for (const auto& [known, unit] : kUnits) {
    if (known == name) return unit;
  }
  return Unit::kNone;
}

std::string DeclaredTypeOf(const ColumnDesc& column) {
  // A slash is no part of a type.
  return DeclaredType(SqlTypeOf(column.type),
                      column.unit == Unit::kGflops ? "Gflops" : UnitName(column.unit));
}

}  // namespace

std::span<const SqlTableDesc> SqlTables() { return kTables; }

std::string DeclaredType(SqlType type, std::string_view unit) {
  constexpr std::array<const char*, 4> kNames = {"INTEGER", "REAL", "TEXT", ""};
  std::string text = kNames[static_cast<size_t>(type)];
  if (!unit.empty()) (text += ' ') += unit;
  return text;
}

Unit UnitOfDeclared(std::string_view declared) {
  const size_t blank = declared.find(' ');
  return blank == std::string_view::npos ? Unit::kNone : FindUnit(declared.substr(blank + 1));
}

Unit UnitOfName(std::string_view name) {
  const size_t bar = name.rfind('_');
  return bar == std::string_view::npos || bar == 0 ? Unit::kNone : FindUnit(name.substr(bar + 1));
}

std::string QuotedName(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '\0') continue;
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string DeclarationOf(const SqlTableDesc& table, size_t profile) {
  std::string text = "CREATE TABLE " + QuotedName(table.name) + "(";
  for (const SqlColumn& column : table.columns) {
    std::string unit = column.unit;
    if (unit == kEvent && profile > 0) unit += "_" + std::to_string(profile);
    text += (text.ends_with('(') ? "" : ", ") + QuotedName(column.name) + " " +
            DeclaredType(column.type, unit);
  }
  return text + ")";
}

std::optional<size_t> EventsOfDeclared(std::string_view declared) {
  constexpr std::string_view kFirst = "INTEGER event";
  if (!declared.starts_with(kFirst)) return std::nullopt;
  declared.remove_prefix(kFirst.size());
  if (declared.empty()) return 0;
  size_t profile = 0;
  const auto [end, error] =
      std::from_chars(declared.data() + 1, declared.data() + declared.size(), profile);
  return error == std::errc() && end == declared.data() + declared.size() ? std::optional(profile)
                                                                          : std::nullopt;
}

std::string SchemaText(const SqlTableDesc& table) {
  std::string text = "-- " + std::string(table.what) + ".\nCREATE TABLE " + table.name + "(\n";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const SqlColumn& column = table.columns[i];
    const std::string type = DeclaredType(column.type, "");
    text += "  " + std::string(column.name) + (type.empty() ? "" : " ") + type;
    text += i + 1 < table.columns.size() ? ",  -- " : "   -- ";
    if (UnitOfDeclared("INTEGER " + std::string(column.unit)) != Unit::kNone)
      text += std::string(column.unit) + ": ";
    text += std::string(column.what) + "\n";
  }
  return text + ");\n";
}

SqlType SqlTypeOf(ValueType type) {
  if (type == ValueType::kString) return SqlType::kText;
  return type == ValueType::kReal ? SqlType::kReal : SqlType::kInteger;
}

std::string ReportTableName(std::string_view panel, const ResultTable& table) {
  return std::string(panel) + "_" + table.id;
}

std::string DeclarationOf(std::string_view panel, const ResultTable& table) {
  std::string text = "CREATE TABLE " + QuotedName(ReportTableName(panel, table)) + "(";
  for (const ColumnDesc& column : table.columns)
    text +=
        (text.ends_with('(') ? "" : ", ") + QuotedName(column.id) + " " + DeclaredTypeOf(column);
  return text + ")";
}

std::string SchemaText(std::string_view panel, const ResultTable& table) {
  std::string text =
      "-- " + table.title + "\nCREATE TABLE " + ReportTableName(panel, table) + "(\n";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnDesc& column = table.columns[i];
    const std::string unit = UnitName(column.unit);
    text += "  " + QuotedName(column.id) + " " + DeclaredType(SqlTypeOf(column.type), "");
    text += i + 1 < table.columns.size() ? ",  -- " : "   -- ";
    text += (unit.empty() ? "" : unit + ": ") + column.label + "\n";
  }
  return text + ");\n";
}

ReportName SplitReportName(std::string_view name) {
  const std::string lower = Lower(name);
  ReportName found;
  for (const AnalysisDesc& analysis : Analyses()) {
    const std::string start = std::string(analysis.id) + "_";
    if (lower.starts_with(start) && start.size() > found.panel.size())
      found = {analysis.id, lower.substr(start.size())};
  }
  return found;
}

}  // namespace stepscope
