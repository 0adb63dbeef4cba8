#include "viewer/panels/query/query_words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "viewer/panels/query/query_history.h"

namespace stepscope {
namespace {

const std::vector<QueryTable> kReports = {{"kernel_stats_kernels", {"rank", "kernel_name"}}};

std::vector<std::string> Proposed(const std::string& text) {
  return Completions(text, text.size(), kReports, 100);
}
bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST_CASE("query words: the word before the cursor") {
  CHECK(WordBefore("SELECT na", 9) == "na");
  CHECK(WordBefore("SELECT na", 8) == "n");
  CHECK(WordBefore("e.dur_ps", 8) == "dur_ps");
  CHECK(WordBefore("SELECT ", 7) == "");
  CHECK(WordBefore("x", 100) == "x");
}

TEST_CASE("query words: tables, columns, functions and keywords complete a word") {
  CHECK(Proposed("SELECT * FROM ev") == std::vector<std::string>{"events", "event_id"});
  CHECK(Proposed("SELE") == std::vector<std::string>{"SELECT"});
  CHECK(Has(Proposed("SELECT med"), "median("));
  CHECK(Has(Proposed("SELECT * FROM kernel"), "kernel_stats_kernels"));
  CHECK(Has(Proposed("SELECT * FROM ove"), "overview_"));
  CHECK(Proposed("SELECT ").empty());
  CHECK(Proposed("SELECT name").empty());  // the word is complete
}

TEST_CASE("query words: columns of tables that the text names come first") {
  CHECK(Proposed("FROM steps WHERE n").front() == "number");
  CHECK(Proposed("FROM kernel_stats_kernels k WHERE k.").front() == "rank");
  CHECK_FALSE(Has(Proposed("FROM steps s WHERE s."), "SELECT"));
}

TEST_CASE("query words: Tab writes what all completions have in common") {
  CHECK(CommonStart(Proposed("SELECT * FROM ev")) == "event");
  CHECK(CommonStart(Proposed("SELECT * FROM proce")) == "process");
  CHECK(CommonStart({}) == "");
}

TEST_CASE("query words: reports are known by the start of their tables") {
  CHECK(ReportsNamedIn("SELECT * FROM Kernel_Stats_x JOIN steps") ==
        std::vector<std::string>{"kernel_stats"});
  CHECK(ReportsNamedIn("SELECT kernel FROM events").empty());
}

TEST_CASE("query history: the last query comes first, and each is kept once") {
  QueryHistory history;
  history.Add("SELECT 1");
  history.Add("SELECT 2");
  history.Add("SELECT 1");
  CHECK(history.queries() == std::vector<std::string>{"SELECT 1", "SELECT 2"});
  for (int i = 0; i < 100; ++i) history.Add("SELECT " + std::to_string(i));
  CHECK(history.queries().size() == QueryHistory::kMost);
}

TEST_CASE("query history: its text is one line that is read back") {
  QueryHistory history;
  history.Add("SELECT '\\n;\\;'\nFROM events;\n");
  history.Add("a\\");
  const std::string text = history.Text();
  CHECK(text.find('\n') == std::string::npos);
  CHECK(QueryHistory(text).queries() == history.queries());
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {  // any setting is read without harm
    std::string bytes;
    for (int n = 0; n < 40; ++n) bytes += "\\;n a"[random() % 5];
    const QueryHistory read(bytes);
    CHECK(QueryHistory(read.Text()).queries() == read.queries());
  }
}

}  // namespace
}  // namespace stepscope
