// The tables answer conditions themselves to save time. That must change no result.
#include <doctest/doctest.h>

#include <random>

#include "tests/sql/ask.h"
#include "tests/sql/random_sql.h"
#include "tests/support/samples.h"

namespace stepscope {
namespace {

void CheckSame(const std::string& path, uint32_t seed, int queries) {
  CAPTURE(path);
  const auto trace = test::LoadTrace(path);
  SqlDatabase database = test::DatabaseOf({test::SourceOf(trace)});
  std::mt19937 random(seed);
  test::RandomSql generator(*trace, [&](uint32_t n) { return random() % n; });
  int with_rows = 0;
  for (int i = 0; i < queries; ++i) {
    const test::RandomSql::Query query = generator.Make();
    CAPTURE(query.sql);
    CHECK(test::DifferenceOf(database, query, 5) == "");
    with_rows +=
        test::AnswerOf(database, {query.sql, {}, {.seconds = 5, .rows = 1}}).empty() ? 0 : 1;
  }
  CHECK(with_rows > queries / 4);  // else it compares nothing
}

TEST_CASE("push down: random queries have the same result without it") {
  uint32_t seed = 1;
  for (const std::string& path : test::Samples()) CheckSame(path, seed++, 60);
}

TEST_CASE("push down: random queries over recordings beside the repository") {
  const std::vector<std::string> paths = test::SharedRecordings();
  if (paths.empty()) MESSAGE("SKIPPED: no recordings beside the repository");
  for (const std::string& path : paths) {
    if (path.find("graphs/") == std::string::npos) continue;  // one of them is enough here
    CheckSame(path, 77, 10);
  }
}

}  // namespace
}  // namespace stepscope
