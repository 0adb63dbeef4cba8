// `stepscope sql` as scripts see it. The abilities of SQL are tested in tests/sql/.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "app/system/paths.h"
#include "tests/app/commands/parse.h"
#include "tests/app/program_run.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

// Asks the bundled sample.
FinishedProgram Ask(const TempDir& dir, const std::string& arguments) {
  return RunProgram(dir, "sql '" + test::SourcePath("share/samples/sample") + "' " + arguments);
}

TEST_CASE("sql: takes paths and a query, and knows its options") {
  CheckUsageError({"sql"}, "PATH");
  CheckUsageError({"sql", "a.pb"}, "a query are needed");
  CheckUsageError({"sql", "a.pb", "SELECT 1", "--format", "html"}, "write text, json or csv");
  CheckUsageError({"sql", "a.pb", "SELECT 1", "--param", "x"}, "write it as NAME=VALUE");
  CheckUsageError({"sql", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "SELECT 1"},
                  "at most 10 profiles");
  CHECK(Parse({"sql", "a.pb", "SELECT 1"}).command != nullptr);
  CHECK(Parse({"sql", "a.pb", "--file", "x.sql"}).command != nullptr);
}

TEST_CASE("sql: writes text, JSON and CSV") {
  const TempDir dir;
  const std::string query = "\"SELECT id, name, dur_ps FROM events WHERE id < 3\" ";
  const FinishedProgram text = Ask(dir, query + "--rows 2");
  CHECK(text.status == 0);
  CHECK(text.out.find("dur_ps") != std::string::npos);
  CHECK(text.out.find("The first 2 of 3 rows; --rows says how many are shown.\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(Ask(dir, query + "--format json --rows 1").out);
  CHECK(json["total_rows"] == 3);
  CHECK(json["rows"].size() == 1);
  CHECK(json["rows"][0][0] == 0);
  CHECK(json["columns"][2]["unit"] == "ps");
  CHECK(json["columns"][2]["type"] == "integer");
  const std::string csv = Ask(dir, query + "--format csv").out;
  CHECK(csv.starts_with("id,name,dur_ps\r\n0,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
}

TEST_CASE("sql: a script comes from a file, its values from the command line") {
  const TempDir dir;
  const std::string file = (dir.path() / "script.sql").string();
  std::ofstream(file) << "CREATE TEMP TABLE t AS SELECT :first AS x;\nSELECT x + 1 FROM t;";
  const FinishedProgram run = Ask(dir, "--file " + file + " --param first=41 --format csv");
  CHECK(run.error == "");
  CHECK(run.out == "x + 1\r\n42\r\n");
  CHECK(Ask(dir, "--file - --param first=1 --format csv <" + file).out == "x + 1\r\n2\r\n");
  CHECK(Ask(dir, "--file " + (dir.path() / "absent").string()).status == 2);
}

TEST_CASE("sql: an error is one line, with status 2 or 4") {
  const TempDir dir;
  const auto fails = [&](const std::string& arguments, int status, const std::string& text) {
    const FinishedProgram run = Ask(dir, arguments);
    CAPTURE(run.error);
    CHECK(run.status == status);
    CHECK(run.error.starts_with("stepscope: SQL: "));
    CHECK(run.error.find(text) != std::string::npos);
    CHECK(run.error.find('\n') == run.error.size() - 1);
  };
  fails("\"SELECT nme FROM events\"", 2, "line 1, column 8: no such column: nme");
  fails("\"ATTACH 'x' AS y\"", 2, "not authorized");
  fails("\"SELECT :x\"", 2, "the parameter :x has no value");
  fails(
      "\"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM t) SELECT sum(x) FROM t\" "
      "--timeout 1",
      4, "takes longer than allowed");
}

TEST_CASE("sql: Ctrl+C ends a query, says so, and leaves no file behind") {
  const TempDir dir;
  const std::string endless =
      "\"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t\" ";
  for (const char* format : {"--format csv", "--format json", "--format text --rows 0"}) {
    CAPTURE(format);
    const std::string command =
        "cd '" + dir.path().string() +
        "' && env --default-signal=INT timeout --foreground --preserve-status -s INT 1 '" +
        test::ProgramPath() + "' sql '" + test::SourcePath("share/samples/sample") + "' " +
        endless + format + " -o part.out 2>err";
    const int raw = std::system(command.c_str());
    CHECK((WIFEXITED(raw) && WEXITSTATUS(raw) == 130));
    CHECK(ReadSmallFile(dir.path() / "err") == "stepscope: SQL: cancelled\n");
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);  // `err`
  }
}

TEST_CASE("sql: .schema is the text of tables") {
  const TempDir dir;
  CHECK(Ask(dir, "'.schema events'").out.find("\n  dur_ps INTEGER,  -- ps: ") != std::string::npos);
  CHECK(Ask(dir, ".tables --format csv").out.find("kernel_stats_kernels,") != std::string::npos);
}

}  // namespace
}  // namespace stepscope
