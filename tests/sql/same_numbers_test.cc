// SQL has the numbers of the reports.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "tests/support/table_rows.h"

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/query/event_args.h"
#include "model/query/event_stats.h"
#include "sql/schema.h"
#include "tests/sql/ask.h"
#include "tests/support/samples.h"

namespace stepscope {
namespace {

struct Asked {
  explicit Asked(const std::string& path)
      : trace(test::LoadTrace(path)),
        context(std::make_shared<AnalysisContext>(trace, Definitions::kStepscope)),
        database(test::DatabaseOf({std::make_shared<SqlSource>(context)})) {}
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<AnalysisContext> context;
  SqlDatabase database;
};

// Count, total, self time, percentiles and spread of each group, as `events --stats` has them.
std::map<std::string, std::string> Statistics(Asked& asked, GroupBy by) {
  StatsQuestion question{asked.trace.get(), {{0, &asked.trace->set, nullptr}}, nullptr, by};
  if (by == GroupBy::kStep) {
    question.steps = &asked.context->Get<StepDatabase>();
    question.grouping = &asked.context->Get<Grouping>();
  }
  std::map<std::string, std::string> groups;
  for (const EventStatsRow& row : AddUp(question).groups) {
    std::string key(row.name);
    if (by == GroupBy::kTrack) key = std::to_string(row.track.value);
    if (by == GroupBy::kStep)
      key = row.step < asked.context->Get<StepDatabase>().steps.size()
                ? std::to_string(asked.context->Get<StepDatabase>().steps[row.step].number)
                : "";
    groups[key] = fmt::format("{},{},{},{},{},{},{},{},{:.3f}\n", row.count,
                              static_cast<int64_t>(row.total), static_cast<int64_t>(row.self),
                              row.min, row.max, row.median, row.p95, row.p99, row.stddev);
  }
  return groups;
}

void CheckStatistics(Asked& asked, GroupBy by, const std::string& column) {
  const std::string sql =
      "SELECT coalesce(" + column + ", '') AS key, count(*), sum(dur_ps), sum(self_ps), " +
      "min(dur_ps), max(dur_ps), median(dur_ps), percentile(dur_ps, 95), percentile(dur_ps, 99), " +
      "printf('%.3f', stddev(dur_ps)) FROM events WHERE NOT instant GROUP BY " + column;
  const Result<SqlTableResult> result = RunForTable(asked.database, {sql, {}, {}});
  REQUIRE_MESSAGE(result.ok(), result.status().message());
  std::map<std::string, std::string> groups;
  for (const std::vector<Value>& row : test::RowsOf(result->table)) {
    std::string text;
    for (size_t c = 1; c < row.size(); ++c) text += (c > 1 ? "," : "") + RawValue(row[c]);
    groups[RawValue(row[0])] = text + "\n";
  }
  const auto expected = Statistics(asked, by);
  CHECK(groups.size() == expected.size());
  for (const auto& [key, text] : expected) {
    CAPTURE(key);
    CHECK(groups[key] == text);
  }
}

TEST_CASE("sql: sums by name, track and step are those of events --stats") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    Asked asked(path);
    CheckStatistics(asked, GroupBy::kName, "name");
    CheckStatistics(asked, GroupBy::kTrack, "track_id");
    if (asked.trace->hosts.size() <= 1) CheckStatistics(asked, GroupBy::kStep, "step");
  }
}

TEST_CASE("sql: tables of reports are those of report") {
  for (const std::string& path : test::Samples()) {
    CAPTURE(path);
    Asked asked(path);
    size_t tables = 0;
    for (const AnalysisDesc& analysis : Analyses()) {
      const auto result = asked.context->Get(analysis.id);
      for (const ResultTable& table : result->tables) {
        const std::string name = ReportTableName(analysis.id, table);
        CAPTURE(name);
        const Result<SqlTableResult> rows =
            RunForTable(asked.database, {"SELECT * FROM " + name, {}, {.rows = 0}});
        REQUIRE_MESSAGE(rows.ok(), rows.status().message());
        REQUIRE(rows->table.columns.size() == table.columns.size());
        for (size_t c = 0; c < table.columns.size(); ++c) {
          CHECK(rows->table.columns[c].id == table.columns[c].id);
          CHECK(rows->table.columns[c].unit == table.columns[c].unit);
        }
        REQUIRE(rows->table.size() == table.size());
        size_t differ = 0;
        for (size_t r = 0; r < table.size(); ++r) {
          for (size_t c = 0; c < table.columns.size(); ++c) {
            const Cell cell = table.At(r, c);
            const bool* flag = std::get_if<bool>(&cell);
            const Cell expected = flag != nullptr ? Cell(int64_t{*flag}) : cell;
            differ += RawValue(rows->table.At(r, c)) == RawValue(expected) ? 0 : 1;
          }
        }
        CHECK(differ == 0);
        ++tables;
      }
    }
    CHECK(tables > 10);
  }
}

TEST_CASE("sql: columns of an event are what the store says") {
  Asked asked(test::Samples().front());
  const TrackSet& set = asked.trace->set;
  for (const uint32_t row : {0u, set.rows / 3, set.rows / 2, set.rows - 1}) {
    const Lane& lane = set.lanes[set.LaneOf(EventRow(row)).value];
    const std::string expected =
        fmt::format("{},{},{},{},{},{}\n", set.Start(EventRow(row)), set.Duration(EventRow(row)),
                    set.Name(EventRow(row)), set.TrackOf(EventRow(row)).value, lane.depth,
                    lane.kind == LaneKind::kInstant ? 1 : 0);
    CHECK(test::AnswerOf(asked.database,
                         "SELECT begin_ps, dur_ps, name, track_id, depth, instant FROM events "
                         "WHERE id = " +
                             std::to_string(row)) == expected);
  }
}

TEST_CASE("sql: args are those of events --args") {
  Asked asked(test::SourcePath("tests/data/torch_cpu.json.gz"));
  const std::string row =
      test::AnswerOf(asked.database, "SELECT min(id) FROM events WHERE name LIKE 'aten::add%'");
  const auto args = ArgsReader(*asked.trace).Read(EventRow(static_cast<uint32_t>(std::stoul(row))));
  REQUIRE(args.ok());
  REQUIRE_FALSE(args->empty());
  std::string expected;
  for (const Stat& stat : *args) expected += stat.name + "\n";
  CHECK(test::AnswerOf(asked.database, "SELECT key FROM args WHERE event_id = " + row) == expected);
  CHECK(test::AnswerOf(asked.database, "SELECT count(DISTINCT event_id) FROM args") ==
        test::AnswerOf(asked.database,
                       "SELECT count(*) FROM events e WHERE EXISTS (SELECT * FROM args WHERE "
                       "event_id = e.id)"));
}

TEST_CASE("sql: tracks and steps count what is there") {
  Asked asked(test::Samples().front());
  CHECK(test::AnswerOf(asked.database,
                       "SELECT t.id FROM tracks t WHERE t.events <> (SELECT count(*) FROM events "
                       "WHERE track_id = t.id)") == "");
  CHECK(test::AnswerOf(asked.database,
                       "SELECT count(*) FROM tracks JOIN processes p ON p.id = process_id") ==
        std::to_string(asked.trace->set.tracks.size()) + "\n");
  CHECK(test::AnswerOf(asked.database, "SELECT count(*) FROM steps") ==
        std::to_string(asked.context->Get<StepDatabase>().steps.size()) + "\n");
}

}  // namespace
}  // namespace stepscope
