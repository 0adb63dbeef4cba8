#include "model/rows_by_id.h"

#include <doctest/doctest.h>

#include <limits>

namespace stepscope {
namespace {

TEST_CASE("rows by id: dense ids have rows, others and ids outside have none") {
  RowsById rows;
  CHECK(rows.empty());
  CHECK_FALSE(rows.Find(0).valid());
  REQUIRE(rows.Open(-5, 100, 2));
  rows.Entry(-5) = 1;
  rows.Entry(100) = 8;
  CHECK(rows.Find(-5) == EventRow(0));
  CHECK(rows.Find(100) == EventRow(7));
  for (const int64_t id :
       {int64_t{-6}, int64_t{0}, int64_t{101}, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()})
    CHECK_FALSE(rows.Find(id).valid());
}

TEST_CASE("rows by id: ids far apart, and no ids, make no table") {
  RowsById rows;
  CHECK_FALSE(rows.Open(0, 65'545, 2));
  CHECK_FALSE(
      rows.Open(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 9));
  CHECK_FALSE(rows.Open(0, 0, 0));
  CHECK(rows.empty());
  CHECK(rows.Open(0, 65'544, 2));
}

}  // namespace
}  // namespace stepscope
