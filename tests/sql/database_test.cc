#include "sql/database.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "model/jobs/job.h"
#include "sql/question.h"
#include "tests/sql/ask.h"
#include "tests/support/samples.h"

namespace stepscope {
namespace {

SqlDatabase Sample() {
  return test::DatabaseOf({test::SourceOf(test::LoadTrace(test::Samples().front()))});
}

TEST_CASE("sql: an error is one line with its place") {
  SqlDatabase database = Sample();
  const auto error = [&](const std::string& sql) { return test::AnswerOf(database, sql); };
  CHECK(error("SELEC 1").starts_with("error: line 1, column 1: near \"SELEC\": syntax error"));
  CHECK(error("SELECT 1,\n  nme FROM events") == "error: line 2, column 3: no such column: nme");
  CHECK(error("SELECT 'é', nme FROM events") == "error: line 1, column 13: no such column: nme");
  CHECK(error("SELECT 1; SELECT nme FROM events").starts_with("error: line 1, column 18: "));
  CHECK(error("SELECT * FROM no_such").ends_with("no such table: no_such; .tables lists them"));
  CHECK(error("SELECT * FROM kernel_stats_no").find("kernel_stats has kernel_stats_kernels, ") !=
        std::string::npos);
  CHECK(error("SELECT * FROM memory_snapshot_leaks").find("memory_snapshot has none: ") !=
        std::string::npos);
  CHECK(error("  -- nothing") == "error: there is no statement");
  CHECK(error("SELECT :x").ends_with("the parameter :x has no value"));
  CHECK(error(".open x") == "error: .open: there are only .schema and .tables");
  for (const char* sql : {"SELEC", "SELECT * FROM x", "SELECT (", "SELECT 1 +", "SELECT ?"})
    CHECK(error(sql).find('\n') == std::string::npos);
}

TEST_CASE("sql: files, extensions, settings and writes are refused") {
  SqlDatabase database = Sample();
  const std::string path =
      (std::filesystem::temp_directory_path() / "stepscope_sql_refused.db").string();
  for (const std::string& sql : {"ATTACH '" + path + "' AS x",
                                 std::string("DETACH a"),
                                 "VACUUM INTO '" + path + "'",
                                 std::string("VACUUM"),
                                 std::string("SELECT load_extension('x')"),
                                 "SELECT writefile('" + path + "', 'x')",
                                 std::string("SELECT readfile('/etc/passwd')"),
                                 std::string("PRAGMA journal_mode = WAL"),
                                 std::string("PRAGMA temp_store_directory = '/'"),
                                 std::string("PRAGMA writable_schema = 1"),
                                 std::string("PRAGMA case_sensitive_like = 1"),
                                 std::string("INSERT INTO events(id) VALUES (1)"),
                                 std::string("DELETE FROM events"),
                                 std::string("UPDATE steps SET name = ''"),
                                 std::string("CREATE TABLE t(x)"),
                                 std::string("CREATE TABLE a.t(x)"),
                                 std::string("CREATE VIEW v AS SELECT 1"),
                                 std::string("DROP TABLE events"),
                                 std::string("ALTER TABLE events RENAME TO e"),
                                 std::string("CREATE VIRTUAL TABLE temp.v USING stepscope"),
                                 std::string("CREATE VIRTUAL TABLE temp.v USING fts5(x)"),
                                 std::string("ANALYZE"),
                                 std::string("DELETE FROM sqlite_master")}) {
    CAPTURE(sql);
    CHECK(test::AnswerOf(database, sql).starts_with("error: line 1, column "));
    CHECK(test::AnswerOf(database, "SELECT count(*) > 0 FROM events") == "1\n");
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(test::AnswerOf(database, "ATTACH 'x' AS y").find("SQL opens no files") !=
        std::string::npos);
}

TEST_CASE("sql: temporary tables, views and indices can be made and filled") {
  SqlDatabase database = Sample();
  CHECK(test::AnswerOf(database,
                       "CREATE TEMP TABLE t AS SELECT id FROM events WHERE id < 3; "
                       "CREATE INDEX temp.i ON t(id); INSERT INTO t VALUES (7); "
                       "CREATE TEMP VIEW v AS SELECT sum(id) FROM t; UPDATE t SET id = id + 1; "
                       "SELECT * FROM v;") == "14\n");
  CHECK(test::AnswerOf(database, "PRAGMA table_info(steps)").find("begin_ps,INTEGER ps") !=
        std::string::npos);
}

TEST_CASE("sql: a transaction that is left open ends with the script") {
  SqlDatabase database = Sample();
  test::AnswerOf(database, "BEGIN; SELECT 1");
  CHECK(test::AnswerOf(database, "BEGIN; SELECT 2") == "2\n");
}

TEST_CASE("sql: a query that would not end is cancelled") {
  SqlDatabase database = Sample();
  const SqlQuestion endless{
      "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t",
      {},
      {}};
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  {
    const JobScope job(nullptr, stop.get_token());
    const Result<SqlTableResult> result = RunForTable(database, endless);
    CHECK(result.status().code() == ErrorCode::kCancelled);
  }
  CHECK(test::AnswerOf(database, "SELECT 1") == "1\n");
}

TEST_CASE("sql: an index or a report that a query needs is cancelled too, and made anew later") {
  SqlDatabase database = Sample();
  std::stop_source stop;
  stop.request_stop();
  for (const char* script : {"SELECT count(*) FROM events WHERE name = 'x'", ".tables",
                             "SELECT * FROM kernel_stats_kernels",
                             "SELECT count(*) FROM events WHERE step = 1", ".schema overview"}) {
    CAPTURE(script);
    {
      const JobScope job(nullptr, stop.get_token());
      CHECK(RunForTable(database, {script, {}, {}}).status().code() == ErrorCode::kCancelled);
    }
    CHECK(RunForTable(database, {script, {}, {}}).ok());
  }
}

TEST_CASE("sql: time and memory have limits") {
  SqlDatabase database = Sample();
  SqlQuestion question{
      "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t",
      {},
      {.seconds = 0.05, .rows = 10}};
  CHECK(test::AnswerOf(database, question) == "error: the query takes longer than allowed");
  question.limits = {.bytes = uint64_t{4} << 20, .rows = 0};
  CHECK(test::AnswerOf(database, question) == "error: the query takes more memory than allowed");
  question.script =
      "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 1e7) "
      "SELECT median(x) FROM t";
  CHECK(test::AnswerOf(database, question) == "error: the query takes more memory than allowed");
  CHECK(test::AnswerOf(database, "SELECT length(zeroblob(1000000000))").starts_with("error: "));
}

TEST_CASE("sql: a pattern has so few wildcards that the stack of a thread suffices") {
  SqlDatabase database = Sample();
  std::string text, pattern;
  for (int i = 0; i < 20'000; ++i) text += "a", pattern += "%a";
  for (const char* match : {"LIKE", "GLOB"}) {
    const std::string answer =
        test::AnswerOf(database, "SELECT '" + text + "' " + match + " '" + pattern + "'");
    CHECK(answer == "error: line 1, column 1: LIKE or GLOB pattern too complex");
  }
}

TEST_CASE("sql: a huge result is cut, with its count") {
  SqlDatabase database = Sample();
  const Result<SqlTableResult> result =
      RunForTable(database, {"SELECT a.id FROM steps a, steps b, steps c", {}, {.rows = 10}});
  REQUIRE(result.ok());
  CHECK(result->table.size() == 10);
  const std::string steps = test::AnswerOf(database, "SELECT count(*) FROM steps");
  const uint64_t count = std::stoul(steps);
  CHECK(result->total_rows == count * count * count);
}

TEST_CASE("sql: parameters are integers, reals or texts") {
  SqlDatabase database = Sample();
  const auto typed = [&](const char* value) {
    return test::AnswerOf(database, {"SELECT typeof(:x), @x, $x", {{"x", value}}, {}});
  };
  CHECK(typed("12") == "integer,12,12\n");
  CHECK(typed("-1.5") == "real,-1.5,-1.5\n");
  CHECK(typed("12ms") == "text,12ms,12ms\n");
  CHECK(typed("") == "text,,\n");
  CHECK(ParseSqlParameter("a=b=c")->value == "b=c");
  CHECK_FALSE(ParseSqlParameter("a").has_value());
  CHECK_FALSE(ParseSqlParameter("=a").has_value());
}

TEST_CASE("sql: several profiles have a schema each, and the first needs none") {
  const std::vector<std::string> paths = test::Samples();
  const auto a = test::SourceOf(test::LoadTrace(paths[0]));
  const auto b = test::SourceOf(test::LoadTrace(paths[1]));
  SqlDatabase both = test::DatabaseOf({a, b});
  CHECK(test::AnswerOf(both, "SELECT count(*) FROM events") ==
        std::to_string(a->trace().set.rows) + "\n");
  CHECK(test::AnswerOf(both, "SELECT count(*) FROM b.events") ==
        std::to_string(b->trace().set.rows) + "\n");
  CHECK(test::AnswerOf(both,
                       "SELECT count(*) >= 0 FROM b.op_stats_ops UNION ALL SELECT count(*) > 0 "
                       "FROM op_stats_ops") == "1\n1\n");
  const Result<SqlTableResult> ids = RunForTable(
      both, {"SELECT b.events.id, a.events.id FROM b.events, a.events LIMIT 1", {}, {}});
  REQUIRE(ids.ok());
  REQUIRE(ids->table.links.size() == 1);  // to the first event of the row
  CHECK(ids->table.columns[1].id == "id_2");
  CHECK_FALSE(SqlDatabase::Open({}).ok());
  CHECK_FALSE(SqlDatabase::Open(std::vector(11, a)).ok());
}

TEST_CASE("sql: rows lead to their events or to their time") {
  SqlDatabase database = Sample();
  const auto links = [&](const std::string& sql) {
    const Result<SqlTableResult> result = RunForTable(database, {sql, {}, {}});
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    return result->table.links;
  };
  CHECK(links("SELECT name, id FROM events WHERE id = 7").at(0).rows.front() == EventRow(7));
  CHECK(links("SELECT name, max(id) AS event_id FROM events").at(0).rows.size() == 1);
  CHECK(links("SELECT id FROM tracks").empty());
  const auto ranges = links("SELECT begin_ps, dur_ps FROM steps WHERE id = 0");
  CHECK(ranges.at(0).rows.empty());
  CHECK(ranges.at(0).range.length() > 0);
}

TEST_CASE("sql: of several profiles, a row leads into the one that its event is of") {
  const std::vector<std::string> paths = test::Samples();
  SqlDatabase both = test::DatabaseOf(
      {test::SourceOf(test::LoadTrace(paths[0])), test::SourceOf(test::LoadTrace(paths[1]))});
  // "b7" is event 7 of b, "b@" a time of b, "-" no link.
  const auto links = [&](const std::string& sql) {
    const Result<SqlTableResult> result = RunForTable(both, {sql, {}, {}});
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    std::string text;
    for (size_t i = 0; i < result->table.links.size(); ++i) {
      const RowLink& link = result->table.links[i];
      const char profile = static_cast<char>('a' + result->link_profiles.at(i));
      text += text.empty() ? "" : " ";
      if (!link.rows.empty()) {
        text += profile + std::to_string(link.rows.front().value);
      } else {
        text += link.range.empty() ? "-" : std::string(1, profile) + "@";
      }
    }
    return text;
  };
  CHECK(links("SELECT id FROM events WHERE id = 7") == "a7");
  CHECK(links("SELECT id FROM b.events WHERE id = 7") == "b7");
  CHECK(links("SELECT y.id, x.id FROM a.events x, b.events y WHERE x.id = 3 AND y.id = 5") == "b5");
  CHECK(links("SELECT x.id, y.id FROM b.events y LEFT JOIN a.events x ON x.id = -1 "
              "WHERE y.id = 5") == "b5");
  CHECK(links("SELECT max(id) - max(id) AS event_id FROM b.events") == "b0");
  CHECK(links("SELECT begin_ps, 1 AS dur_ps FROM b.events WHERE id = 4") == "b@");
  CHECK(links("SELECT id FROM b.events WHERE id = 1 UNION SELECT id FROM b.events WHERE id = 2") ==
        "b1 b2");
  // A row of these may be of one profile or the other, unless a column says so.
  const std::string either = "id FROM a.events WHERE id = 1 UNION ALL SELECT ";
  CHECK(links("SELECT " + either + "id FROM b.events WHERE id = 2") == "- -");
  CHECK(links("SELECT 'a' AS profile, " + either + "'b', id FROM b.events WHERE id = 2") ==
        "a1 b2");
  CHECK(links("CREATE TEMP TABLE t AS SELECT id FROM b.events WHERE id = 1;"
              "SELECT id AS event_id FROM t") == "-");
  CHECK(links("SELECT 'b' AS profile, id AS event_id FROM temp.t") == "b1");
  CHECK(links("SELECT 'c' AS profile, id FROM events WHERE id = 1") == "c1");  // nothing is there
}

TEST_CASE("sql: a statement puts results together, or only says so") {
  CHECK(IsCompoundSql("SELECT 1 UNION SELECT 2"));
  CHECK(IsCompoundSql("WITH t AS (SELECT 1 intersect SELECT 2) SELECT * FROM t"));
  CHECK(IsCompoundSql("SELECT 'it''s' Except SELECT 2"));
  CHECK_FALSE(IsCompoundSql("SELECT 'union', \"union\", [union], `union`, reunion, union_all"));
  CHECK_FALSE(IsCompoundSql("SELECT 1 -- union\n /* except */"));
  for (const char* open : {"'union", "/* union", "-- union", "[union", "]", ""})
    CHECK_FALSE(IsCompoundSql(open));
}

TEST_CASE("sql: units of columns are known by their type or name") {
  SqlDatabase database = Sample();
  const Result<SqlTableResult> result = RunForTable(
      database,
      {"SELECT dur_ps AS d, sum(dur_ps) AS total_ps, count(*) n, 1 AS share_percent FROM events",
       {},
       {}});
  REQUIRE(result.ok());
  const auto& columns = result->table.columns;
  CHECK(columns[0].unit == Unit::kPs);
  CHECK(columns[1].unit == Unit::kPs);
  CHECK(columns[2].unit == Unit::kNone);
  CHECK(columns[3].unit == Unit::kPercent);
}

TEST_CASE("sql: .tables lists what .schema describes") {
  SqlDatabase database = Sample();
  const std::string tables = test::AnswerOf(database, ".tables");
  CHECK(tables.find("events,The slices and instants of the file\n") != std::string::npos);
  CHECK(tables.find("kernel_stats_kernels,") != std::string::npos);
  CHECK(test::AnswerOf(database, ".schema steps").find("begin_ps INTEGER,  -- ps: ") !=
        std::string::npos);
  CHECK(test::AnswerOf(database, ".schema kernel_stats").find("kernel_stats_kernels(") !=
        std::string::npos);
  CHECK(test::AnswerOf(database, ".schema nothing").starts_with("error: .schema: there is no "));
  CHECK(test::AnswerOf(database, "  .schema  flows ; ").find("CREATE TABLE flows(") !=
        std::string::npos);
}

TEST_CASE("sql: one source serves databases on several threads") {
  const auto source = test::SourceOf(test::LoadTrace(test::Samples().front()));
  std::vector<std::string> answers(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& answer : answers)
      threads.emplace_back([&answer, source] {
        Result<SqlDatabase> database = SqlDatabase::Open({source});
        if (database.ok())
          answer = test::AnswerOf(*database,
                                  "SELECT step, count(*), sum(dur_ps) FROM events WHERE name LIKE "
                                  "'%a%' GROUP BY step");
      });
  }
  CHECK(answers[0].size() > 10);
  for (const std::string& answer : answers) CHECK(answer == answers[0]);
}

}  // namespace
}  // namespace stepscope
