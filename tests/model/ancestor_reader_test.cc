// The wanted event that an event runs inside, against the way over its parents.
#include "model/ancestor_reader.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/lookup.h"
#include "tests/support/loaded.h"

namespace stepscope {
namespace {

// Nested and overlapping spans and instants on three threads.
std::shared_ptr<const Trace> SpansOf(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::string text = "[";
  for (int i = 0; i < 500; ++i) {
    text += std::string(i > 0 ? "," : "") + R"({"ph":")" + (below(20) == 0 ? "i" : "X") +
            R"(","pid":1,"tid":)" + std::to_string(below(3)) + R"(,"ts":)" +
            std::to_string(below(2000)) + R"(,"dur":)" + std::to_string(below(1 << below(9))) +
            R"(,"name":"n)" + std::to_string(below(6)) + "\"}";
  }
  return test::Loaded("t.json", text + "]");
}

EventRow ByParents(const TrackSet& set, EventRow row, const std::vector<bool>& wanted) {
  while (row.valid() && !wanted[set.Meta(row).value]) row = Parent(set, row);
  return row;
}

TEST_CASE("AncestorReader: finds what the way over the parents finds, in any order of asking") {
  size_t found = 0, none = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const std::shared_ptr<const Trace> trace = SpansOf(seed);
    const TrackSet& set = trace->set;
    std::vector<bool> wanted(trace->names().metas.size());
    for (size_t m = 0; m < wanted.size(); m += 3) wanted[m] = true;
    std::mt19937 random(seed);
    AncestorReader in_order(set), anywhere(set);
    for (uint32_t row = 0; row < set.rows; ++row) {
      const EventRow other(static_cast<uint32_t>(random() % set.rows));
      const EventRow expected = ByParents(set, EventRow(row), wanted);
      CAPTURE(seed);
      CAPTURE(row);
      REQUIRE(in_order.Find(EventRow(row), wanted) == expected);
      REQUIRE(anywhere.Find(other, wanted) == ByParents(set, other, wanted));
      ++(expected.valid() ? found : none);
    }
    CHECK_FALSE(in_order.Find(EventRow(), wanted).valid());
    CHECK_FALSE(in_order.Find(EventRow(set.rows), wanted).valid());
  }
  CHECK(found > 1000);
  CHECK(none > 1000);
}

}  // namespace
}  // namespace stepscope
