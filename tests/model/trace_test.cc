#include "model/trace.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("instructions are found by program and name") {
  HloTable table;
  table.programs[7].instructions["fusion.1"].op_type = "MatMul";
  REQUIRE(table.Find(7, "fusion.1") != nullptr);
  CHECK(table.Find(7, "fusion.1")->op_type == "MatMul");
  CHECK(table.Find(7, "fusion.2") == nullptr);
  CHECK(table.Find(8, "fusion.1") == nullptr);
}

}  // namespace
}  // namespace stepscope
