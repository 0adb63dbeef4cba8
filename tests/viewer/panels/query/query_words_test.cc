#include "viewer/panels/query/query_words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

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

}  // namespace
}  // namespace stepscope
