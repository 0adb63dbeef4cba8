#include "model/event_rows.h"

#include <doctest/doctest.h>

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
}  // namespace stepscope
