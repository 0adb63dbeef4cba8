#include "model/event_rows.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace stepscope {
namespace {

EventRows Rows(std::vector<uint32_t> rows) { return EventRows({rows.begin(), rows.end()}); }

std::vector<uint32_t> Numbers(const EventRows& rows) {
  std::vector<uint32_t> numbers;
  for (EventRow row : rows) numbers.push_back(row.value);
  return numbers;
}

TEST_CASE("event rows: none") {
  const EventRows none, also_none(std::vector<EventRow>{});
  CHECK(none.empty());
  CHECK(also_none.empty());
  CHECK(none.begin() == none.end());
  EventRows sum;
  sum.Append(also_none);
  CHECK(sum.size() == 0);
  CHECK(sum.begin() == sum.end());
}

TEST_CASE("event rows: parts follow each other, empty ones do not count") {
  EventRows rows = Rows({7, 9});
  rows.Append(Rows({}));
  rows.Append(Rows({1}));
  rows.Append(rows);
  CHECK(rows.size() == 6);
  CHECK(rows.front() == EventRow(7));
  CHECK(Numbers(rows) == std::vector<uint32_t>{7, 9, 1, 7, 9, 1});
}

TEST_CASE("event rows: lists of one event, alone and beside longer ones") {
  const EventRows one = Rows({5});
  CHECK(one.size() == 1);
  CHECK(one.front() == EventRow(5));
  CHECK(Numbers(one) == std::vector<uint32_t>{5});
  EventRows rows = one;
  rows.Append(Rows({6, 7}));
  rows.Append(one);
  CHECK(Numbers(rows) == std::vector<uint32_t>{5, 6, 7, 5});
  EventRows none;
  none.Append(rows);
  none.Append({});
  CHECK(Numbers(none) == std::vector<uint32_t>{5, 6, 7, 5});
  CHECK(none.front() == EventRow(5));
}

TEST_CASE("event rows: a copy shares the events and outlives the list it was made of") {
  EventRows copy;
  const EventRow* first = nullptr;
  {
    const EventRows rows = Rows({4, 5});
    first = &*rows.begin();
    copy = rows;
  }
  CHECK(&*copy.begin() == first);
  CHECK(Numbers(copy) == std::vector<uint32_t>{4, 5});
}

}  // namespace
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
