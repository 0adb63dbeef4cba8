#include "model/grouped_rows.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope {
namespace {

std::vector<uint32_t> ValuesOf(const EventRows& rows) {
  std::vector<uint32_t> values;
  for (const EventRow row : rows) values.push_back(row.value);
  return values;
}

TEST_CASE("grouped rows: each group has its events in the order in which they came") {
  GroupedRows rows;
  for (const uint32_t row : {7u, 3u, 9u, 4u}) rows.Add(row % 2, EventRow(row));
  const std::vector<EventRows> lists = rows.Take(3);
  REQUIRE(lists.size() == 3);
  CHECK(ValuesOf(lists[0]) == std::vector<uint32_t>{4});
  CHECK(ValuesOf(lists[1]) == std::vector<uint32_t>{7, 3, 9});
  CHECK(lists[2].empty());
}

TEST_CASE("grouped rows: what was taken does not come again") {
  GroupedRows rows;
  rows.Add(0, EventRow(1));
  rows.Take(1);
  rows.Add(1, EventRow(2));
  const std::vector<EventRows> lists = rows.Take(2);
  CHECK(lists[0].empty());
  CHECK(ValuesOf(lists[1]) == std::vector<uint32_t>{2});
  CHECK(rows.Take(0).empty());
}

}  // namespace
}  // namespace stepscope
