#include "model/diagnostics.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("counters keep their order, the first places and the highest severity") {
  Diagnostics d;
  d.Count("b", Severity::kInfo, "Text b");
  for (int i = 0; i < 10; ++i)
    d.Count("a", Severity::kWarning, "Text a", "place " + std::to_string(i));
  d.Count("b", Severity::kError, "Text b", {}, 5);
  REQUIRE(d.rows().size() == 2);
  CHECK(d.rows()[0].id == "b");
  CHECK(d.rows()[0].count == 6);
  CHECK(d.rows()[0].severity == Severity::kError);
  CHECK(d.rows()[1].count == 10);
  CHECK(d.rows()[1].first.size() == Diagnostics::kMaxPlaces);
  CHECK(d.rows()[1].first[0] == "place 0");
  CHECK(d.problems() == 16);
}

TEST_CASE("merging adds counts and fills up the places") {
  Diagnostics a, b;
  a.Count("x", Severity::kInfo, "X", "1");
  for (int i = 0; i < 3; ++i) b.Count("x", Severity::kInfo, "X", "2");
  b.Count("y", Severity::kWarning, "Y", "3", 7);
  a.Merge(b);
  REQUIRE(a.rows().size() == 2);
  CHECK(a.rows()[0].count == 4);
  CHECK(a.rows()[0].first == std::vector<std::string>{"1", "2", "2", "2"});
  CHECK(a.rows()[1].count == 7);
  CHECK(a.rows()[1].text == "Y");
  CHECK(a.problems() == 7);
}

}  // namespace
}  // namespace stepscope
