#include "sql/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "model/jobs/job.h"
#include "sql/guard.h"
#include "sql/question.h"
#include "sql/schema.h"
#include "sql/statement.h"
#include "sql/table.h"

namespace stepscope {
namespace {

constexpr int kOpsBetweenLooks = 2000;  // steps of SQLite between two looks at the budget: 0.1 ms

Status Usage(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

Status Cancelled() { return {ErrorCode::kCancelled, "cancelled"}; }

// The first word of `.schema events`, and the rest without blanks around it.
std::pair<std::string_view, std::string_view> SplitDotCommand(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n;";
  const auto trimmed = [&](std::string_view part) {
    const size_t first = part.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(kBlanks) - first + 1);
  };
  text = trimmed(text);
  const size_t blank = std::min(text.find_first_of(kBlanks), text.size());
  return {text.substr(0, blank), trimmed(text.substr(blank))};
}

SqlResultColumn TextColumn(const char* id) {
  SqlResultColumn column;
  column.desc.id = column.desc.label = id;
  return column;
}

}  // namespace

struct SqlDatabase::State {
  SqlSession session;
  SqlLimits no_limits;
  Budget idle{no_limits};
  sqlite3* db = nullptr;       // closed before the session is destroyed
  std::set<std::string> made;  // tables of reports, as "a.kernel_stats_kernels"

  ~State() { sqlite3_close(db); }
  Status Prepare(const std::vector<std::shared_ptr<SqlSource>>& profiles);
  bool Execute(const std::string& sql);
  Status CannotOpen() const {
    return {ErrorCode::kLimit, "SQLite: " + std::string(sqlite3_errmsg(db))};
  }

  Result<SqlDone> RunScript(const SqlQuestion& question, SqlSink& sink, Budget& budget);
  Result<Statement> PrepareNext(std::string_view script, size_t at);
  Status MissingTable(std::string_view name, bool* made_it);
  Status Ended(const Budget& budget, std::string_view script, size_t at);
  Result<SqlDone> RunDotCommand(std::string_view text, SqlSink& sink);
  void SchemaRows(std::string_view wanted, std::vector<std::string>* texts);
  Result<SqlDone> ListTables(SqlSink& sink);
};

bool SqlDatabase::State::Execute(const std::string& sql) {
  const bool before = std::exchange(session.guard.open, true);
  const bool ok = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  session.guard.open = before;
  return ok;
}

Status SqlDatabase::State::Prepare(const std::vector<std::shared_ptr<SqlSource>>& profiles) {
  session.budget = &idle;
  for (size_t i = 0; i < profiles.size(); ++i)
    session.schemas.push_back({std::string(1, static_cast<char>('a' + i)), profiles[i]});
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &db, kFlags, nullptr) != SQLITE_OK) return CannotOpen();
  if (RegisterTables(db, &session) != SQLITE_OK || RegisterFunctions(db, &session) != SQLITE_OK)
    return CannotOpen();
  if (!Execute("PRAGMA temp_store=MEMORY")) return CannotOpen();
  for (const SqlSchema& schema : session.schemas) {
    if (!Execute("ATTACH ':memory:' AS " + schema.name)) return CannotOpen();
    for (const SqlTableDesc& table : SqlTables()) {
      if (!Execute("CREATE VIRTUAL TABLE " + schema.name + "." + table.name + " USING stepscope"))
        return CannotOpen();
    }
  }
  GuardConnection(db, &session.guard);
  session.guard.open = false;
  return {};
}

// Makes the table of a report that a statement names. The error lists the tables of the report.
Status SqlDatabase::State::MissingTable(std::string_view name, bool* made_it) {
  const size_t dot = name.find('.');
  const bool qualified = dot != std::string_view::npos;
  const std::string schema = qualified ? std::string(name.substr(0, dot)) : "a";
  const ReportName report = SplitReportName(qualified ? name.substr(dot + 1) : name);
  const auto found = std::find_if(session.schemas.begin(), session.schemas.end(),
                                  [&](const SqlSchema& s) { return s.name == schema; });
  if (report.panel.empty() || found == session.schemas.end())
    return Usage("no such table: " + std::string(name) + "; .tables lists them");
  const AnalysisResult* result = found->source->Report(report.panel);
  if (result->Table(report.table) == nullptr) {
    std::string known;
    for (const ResultTable& table : result->tables)
      known += (known.empty() ? "" : ", ") + ReportTableName(report.panel, table);
    if (known.empty())
      return Usage("no such table: " + report.panel + " has none: " + result->empty_reason);
    return Usage("no such table: " + std::string(name) + "; " + report.panel + " has " + known);
  }
  const std::string table = schema + "." + QuotedName(report.panel + "_" + report.table);
  if (!made.insert(table).second) return Usage("no such table: " + std::string(name));
  *made_it = Execute("CREATE VIRTUAL TABLE " + table + " USING stepscope('" + report.panel +
                     "', '" + report.table + "')");
  return *made_it ? Status() : Usage(sqlite3_errmsg(db));
}

// Says why the last call of SQLite failed. `at` is the byte of the script where the statement
// begins.
Status SqlDatabase::State::Ended(const Budget& budget, std::string_view script, size_t at) {
  if (StopRequested()) return Cancelled();
  switch (budget.end()) {
    case Budget::End::kCancelled:
      return Cancelled();
    case Budget::End::kTime:
      return {ErrorCode::kLimit, "the query takes longer than allowed"};
    case Budget::End::kMemory:
      return {ErrorCode::kLimit, "the query takes more memory than allowed"};
    case Budget::End::kNone:
      break;
  }
  if (sqlite3_errcode(db) == SQLITE_NOMEM)
    return {ErrorCode::kLimit, "there is not enough memory for the query"};
  size_t place = at;
#if SQLITE_VERSION_NUMBER >= 3038000
  const int offset = sqlite3_error_offset(db);
  if (offset > 0) place += static_cast<size_t>(offset);
#endif
  std::string what = sqlite3_errmsg(db);
  if (what == "not authorized") what += ": SQL opens no files, and writes temporary tables only";
  return Usage(PlaceIn(script, place) + ": " + what);
}

// Prepares the statement at a byte of the script. Makes the tables of reports that it needs.
Result<Statement> SqlDatabase::State::PrepareNext(std::string_view script, size_t at) {
  constexpr std::string_view kMissing = "no such table: ";
  for (;;) {
    Statement statement;
    session.guard.reads = 0;
    const int status = statement.Prepare(db, script.substr(at));
    statement.SetProfiles({session.guard.reads, session.schemas.size()});
    if (session.budget->Over()) return Ended(*session.budget, script, at);
    if (status == SQLITE_OK) return statement;
    const std::string message = sqlite3_errmsg(db);
    if (!message.starts_with(kMissing)) return Ended(*session.budget, script, at);
    const Status place = Ended(*session.budget, script, at);
    bool made_it = false;
    const Status missing =
        MissingTable(std::string_view(message).substr(kMissing.size()), &made_it);
    if (session.budget->Over()) return Ended(*session.budget, script, at);
    if (made_it) continue;
    const std::string& text = place.message();
    return Usage(text.substr(0, text.find(kMissing)) + missing.message());
  }
}

Result<SqlDone> SqlDatabase::State::RunScript(const SqlQuestion& question, SqlSink& sink,
                                              Budget& budget) {
  const std::string_view script = question.script;
  size_t at = 0;
  while (at < script.size() && !IsBlankSql(script.substr(at))) {
    Result<Statement> statement = PrepareNext(script, at);
    if (!statement.ok()) return statement.status();
    const size_t next = at + statement->length();
    const bool last = IsBlankSql(script.substr(next));
    if (const Status status = statement->Bind(question.parameters); !status.ok())
      return Usage(PlaceIn(script, at) + ": " + status.message());
    uint64_t rows = 0;
    if (!statement->Run(last ? &sink : nullptr, question.limits.rows, budget, &rows))
      return Ended(budget, script, at);
    if (last) return SqlDone{rows};
    at = next;
  }
  return Usage("there is no statement");
}

void SqlDatabase::State::SchemaRows(std::string_view wanted, std::vector<std::string>* texts) {
  for (const SqlTableDesc& table : SqlTables()) {
    if (wanted.empty() || wanted == table.name) texts->push_back(SchemaText(table));
  }
  if (!wanted.empty() && !texts->empty()) return;
  for (const AnalysisDesc& analysis : Analyses()) {
    const std::string start = std::string(analysis.id) + "_";
    if (!wanted.empty() && wanted != analysis.id && !wanted.starts_with(start)) continue;
    const AnalysisResult* result = session.schemas[0].source->Report(analysis.id);
    for (const ResultTable& table : result->tables) {
      if (wanted.empty() || wanted == analysis.id || wanted == start + table.id)
        texts->push_back(SchemaText(analysis.id, table));
    }
  }
}

Result<SqlDone> SqlDatabase::State::ListTables(SqlSink& sink) {
  sink.Begin({TextColumn("table"), TextColumn("what")});
  uint64_t rows = 0;
  const auto add = [&](const std::string& name, const std::string& what) {
    sink.Row({SharedText(name), SharedText(what)});
    ++rows;
  };
  for (const SqlTableDesc& table : SqlTables()) add(table.name, table.what);
  for (const AnalysisDesc& analysis : Analyses()) {
    const AnalysisResult* result = session.schemas[0].source->Report(analysis.id);
    for (const ResultTable& table : result->tables)
      add(ReportTableName(analysis.id, table), table.title);
  }
  return SqlDone{rows};
}

Result<SqlDone> SqlDatabase::State::RunDotCommand(std::string_view text, SqlSink& sink) {
  const auto [command, rest] = SplitDotCommand(text);
  if (command == ".tables") return ListTables(sink);
  if (command != ".schema")
    return Usage(std::string(command) + ": there are only .schema and .tables");
  std::vector<std::string> texts;
  SchemaRows(rest, &texts);
  if (texts.empty())
    return Usage(".schema: there is no table " + std::string(rest) + "; .tables lists them");
  sink.Begin({TextColumn("sql")});
  for (const std::string& sql : texts) sink.Row({SharedText(sql)});
  return SqlDone{texts.size()};
}

SqlDatabase::SqlDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqlDatabase::SqlDatabase(SqlDatabase&&) noexcept = default;
SqlDatabase& SqlDatabase::operator=(SqlDatabase&&) noexcept = default;
SqlDatabase::~SqlDatabase() = default;

Result<SqlDatabase> SqlDatabase::Open(const std::vector<std::shared_ptr<SqlSource>>& profiles) {
  if (profiles.empty()) return Usage("SQL needs a profile");
  if (profiles.size() > kMostSqlProfiles)
    return Usage("SQL takes at most " + std::to_string(kMostSqlProfiles) + " profiles");
  auto state = std::make_unique<State>();
  if (const Status status = state->Prepare(profiles); !status.ok()) return status;
  return SqlDatabase(std::move(state));
}

Result<SqlDone> SqlDatabase::Run(const SqlQuestion& question, SqlSink& sink) {
  Budget budget(question.limits);
  state_->session.budget = &budget;
  sqlite3_progress_handler(
      state_->db, kOpsBetweenLooks,
      [](void* of) { return static_cast<Budget*>(of)->Over() ? 1 : 0; }, &budget);
  const auto [command, rest] = SplitDotCommand(question.script);
  Result<SqlDone> done = Cancelled();
  CatchStopped([&, is_dot = command.starts_with('.')] {
    CheckStop();
    done = is_dot ? state_->RunDotCommand(question.script, sink)
                  : state_->RunScript(question, sink, budget);
  });
  sqlite3_progress_handler(state_->db, 0, nullptr, nullptr);
  if (sqlite3_get_autocommit(state_->db) == 0) state_->Execute("ROLLBACK");
  state_->session.budget = &state_->idle;
  return done;
}

}  // namespace stepscope
