#include "app/commands/sql_command.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands/profile_input.h"
#include "app/system/output.h"
#include "app/system/process.h"
#include "model/analysis/tables/json_stream.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/digits.h"
#include "model/base/text_sink.h"
#include "sql/database.h"

namespace stepscope {
namespace {

// A sink that writes `{"columns": [{"id", "label", "unit", "type"}], "rows": [[value]],
// "total_rows": N}`, or CSV with a header. Borrows the sink of text. Call Finish() after the last
// row.
class SqlWriter : public SqlSink {
 public:
  virtual void Finish(uint64_t total_rows) = 0;
};

class JsonWriter final : public SqlWriter {
 public:
  explicit JsonWriter(const TextSink& sink) : json_(sink) {}

  void Begin(std::vector<SqlResultColumn> columns) override {
    json_.BeginObject();
    json_.BeginArray("columns");
    for (const SqlResultColumn& column : columns) {
      json_.BeginObject();
      json_.Member("id", column.desc.id);
      json_.Member("label", column.desc.label);
      json_.Member("unit", std::string_view(UnitName(column.desc.unit)));
      json_.Member("type", std::string_view(TypeName(column.desc.type)));
      json_.EndObject();
    }
    json_.EndArray();
    json_.BeginArray("rows");
  }
  void Row(std::vector<Value> cells) override {
    json_.BeginArray();
    for (const Value& cell : cells) json_.Write(cell);
    json_.EndArray();
  }
  void Finish(uint64_t total_rows) override {
    json_.EndArray();
    json_.Member("total_rows", total_rows);
    json_.EndObject();
    json_.Finish();
  }

 private:
  JsonStream json_;
};

class CsvWriter final : public SqlWriter {
 public:
  explicit CsvWriter(const TextSink& sink) : out_(sink) {}

  void Begin(std::vector<SqlResultColumn> columns) override {
    for (size_t c = 0; c < columns.size(); ++c)
      out_ += (c > 0 ? "," : "") + CsvField(columns[c].desc.id);
    out_ += "\r\n";
  }
  void Row(std::vector<Value> cells) override {
    for (size_t c = 0; c < cells.size(); ++c)
      out_ += (c > 0 ? "," : "") + CsvField(RawValue(cells[c]));
    out_ += "\r\n";
  }
  void Finish(uint64_t) override { out_.Flush(); }

 private:
  TextBuffer out_;
};

std::unique_ptr<SqlWriter> NewSqlJson(const TextSink& sink) {
  return std::make_unique<JsonWriter>(sink);
}

std::unique_ptr<SqlWriter> NewSqlCsv(const TextSink& sink) {
  return std::make_unique<CsvWriter>(sink);
}

// For people: aligned columns with units, and how many rows are left out, if any are.
void WriteSqlText(const ResultTable& table, uint64_t total_rows, bool wide, const TextSink& sink) {
  constexpr size_t kWidth = 100;
  WriteText(table, {0, wide ? size_t{0} : kWidth}, sink);
  if (total_rows > table.size())
    sink("The first " + GroupDigits(table.size()) + " of " + Counted(total_rows, "rows") +
         "; --rows says how many are shown.\n");
}

constexpr uint64_t kMostMemory = uint64_t{4} << 30;  // that SQLite may take for a query
constexpr int kTextRows = 1000;                      // unless --rows says otherwise

void AddSqlOptions(CLI::App& app, InputOptions* input, SqlOptions* options) {
  AddPaths(app, input, true);
  AddRun(app, input);
  AddText(app, "--file", &options->file, "file with the SQL, - for standard input", "FILE");
  AddRepeated(app, "--param", "NAME=VALUE", "value of :NAME in the SQL, once for each",
              [options](const std::string& text) {
                std::optional<SqlParameter> parameter = ParseSqlParameter(text);
                if (!parameter) return "is no parameter; write it as NAME=VALUE";
                options->parameters.push_back(std::move(*parameter));
                return "";
              });
  AddNumber(app, "--rows", &options->rows, 0, 2'000'000'000,
            "at most this many rows, 0: all (default: 1000 as text, else all)");
  AddNumber(app, "--timeout", &options->seconds, 0, 1'000'000,
            "seconds that the query may take, 0: as long as it takes (default: 300)");
  AddWide(app, &options->wide);
  AddChoice(
      app, "--format", "FORMAT", &options->format, "text (default), json or csv",
      {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}});
  AddOutput(app, &options->output);
}

std::string CheckSql(const InputOptions& input, const SqlOptions& options) {
  std::string wrong = CheckInput(input);
  if (!wrong.empty()) return wrong;
  const size_t profiles = input.paths.size() - (options.file.empty() ? 1 : 0);
  if (profiles == 0) return "PATH and a query are needed: stepscope sql PATH... \"SELECT ...\"";
  if (profiles > kMostSqlProfiles)
    return fmt::format("at most {} profiles can be asked together", kMostSqlProfiles);
  return "";
}

// The script, or nothing, with the error printed.
std::optional<std::string> ReadScript(const InputOptions& input, const SqlOptions& options) {
  if (options.file.empty()) return input.paths.back();
  std::ifstream file;
  if (options.file != "-") file.open(options.file, std::ios::binary);
  std::istream& in = options.file == "-" ? std::cin : file;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (options.file != "-" && !file.is_open()) {
    LogError(fmt::format("--file {}: it cannot be read", options.file));
    return std::nullopt;
  }
  return text;
}

Result<SqlDone> RunText(SqlDatabase& database, const SqlQuestion& question,
                        const SqlOptions& options, const TextSink& sink) {
  Result<SqlTableResult> result = RunForTable(database, question);
  if (!result.ok()) return result.status();
  if (question.script.starts_with(".schema")) {
    for (size_t r = 0; r < result->table.size(); ++r) sink(RawValue(result->table.At(r, 0)));
  } else {
    WriteSqlText(result->table, result->total_rows, options.wide, sink);
  }
  return SqlDone{result->total_rows};
}

Result<SqlDone> RunStream(SqlDatabase& database, const SqlQuestion& question,
                          const SqlOptions& options, const TextSink& sink) {
  const std::unique_ptr<SqlWriter> writer =
      options.format == ReportFormat::kJson ? NewSqlJson(sink) : NewSqlCsv(sink);
  Result<SqlDone> done = database.Run(question, *writer);
  if (done.ok()) writer->Finish(done->rows);
  return done;
}

int Ask(SqlDatabase& database, const SqlQuestion& question, const SqlOptions& options,
        const Log& log) {
  const Stopwatch watch;
  const Interrupt interrupt;
  const JobScope job(JobScope::Current().scheduler, interrupt.token());
  Output output(options.output);
  const TextSink sink = output.sink();
  const Result<SqlDone> done = options.format == ReportFormat::kText
                                   ? RunText(database, question, options, sink)
                                   : RunStream(database, question, options, sink);
  if (!done.ok()) {
    LogError("SQL: " + done.status().message());
    if (done.status().code() == ErrorCode::kCancelled) return kExitInterrupted;
    return done.status().code() == ErrorCode::kUsage ? kExitUsage : kExitNoResource;
  }
  log.Verbose(fmt::format("query: {:.3f} ms, {} rows", watch.Ms(), done->rows));
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

int RunSql(const InputOptions& input, const SqlOptions& options, const Log& log) {
  const std::optional<std::string> script = ReadScript(input, options);
  if (!script) return kExitUsage;
  InputOptions profiles = input;
  if (options.file.empty()) profiles.paths.pop_back();
  std::vector<std::shared_ptr<SqlSource>> sources;
  for (size_t p = 0; p < profiles.paths.size(); ++p) {
    const LoadedInput loaded = LoadInput(profiles, {}, log, p);
    if (!loaded.trace) return loaded.exit_code;
    sources.push_back(std::make_shared<SqlSource>(
        std::make_shared<AnalysisContext>(loaded.trace, Definitions::kStepscope)));
  }
  Result<SqlDatabase> database = SqlDatabase::Open(sources);
  if (!database.ok()) {
    LogError("SQL: " + database.status().message());
    return kExitNoResource;
  }
  const bool text = options.format == ReportFormat::kText;
  const int rows = options.rows >= 0 ? options.rows : (text ? kTextRows : 0);
  const SqlLimits limits{static_cast<double>(options.seconds), kMostMemory,
                         static_cast<uint64_t>(rows)};
  const int status = Ask(*database, {*script, options.parameters, limits}, options, log);
  if (status == kExitInterrupted) Interrupt::End();  // the output file is removed by now
  return status;
}

}  // namespace

extern const ProgramCommandDesc kSqlCommand = {
    "sql", "What SQL selects of profiles; the query is the last argument",
    NewCommand<SqlOptions, AddSqlOptions, CheckSql, RunSql>};

}  // namespace stepscope
