#include "viewer/panels/hlo_pages.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("an event's op is what its arguments name") {
  const Stat op{"hlo_op", std::string("outer::fusion.3")}, program{"program_id", uint64_t{10}};
  CHECK(HloRefOf({op, program}, "kernel") == HloRef{10, "fusion.3"});
  CHECK(HloRefOf({op}, "kernel") == HloRef{0, "fusion.3"});
  CHECK_FALSE(HloRefOf({program}, "kernel").valid());
  // Events of TPUs have the name of their op, and a symbol.
  const Stat symbol{"symbol_id", int64_t{4}}, negative{"program_id", int64_t{-1}};
  CHECK(HloRefOf({symbol, program}, "fusion.4") == HloRef{10, "fusion.4"});
  CHECK(HloRefOf({symbol, negative}, "fusion.4").program == ~uint64_t{0});
  CHECK_FALSE(HloRefOf({{"hlo_op", int64_t{3}}, program}, "kernel").valid());
}

TEST_CASE("pages name programs by id, and filters quote what they look for") {
  const HloRef op{10, "fusion.3"};
  CHECK(HloGraphPage(op) == "hlo_graph/10/fusion.3");
  CHECK(HloTextPage(op) == "hlo_graph/text/10/fusion.3");
  CHECK(HloMemoryPage(op) == "hlo_memory/10//fusion.3");
  CHECK(HloOpPage(op) == "hlo_stats/hlo_op_name=\"fusion.3\" program_id=\"10\"");
  CHECK(HloSourcePage("a b.py:3") == "hlo_stats/source_info=\"a b.py:3\"");
  CHECK(HloSourcePage("a\"b.py:3") == "hlo_stats/source_info:\"a\"");
}

}  // namespace
}  // namespace stepscope
