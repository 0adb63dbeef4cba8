#include "model/base/key_table.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

constexpr KeyRow<int> kRows[] = {{"", 0}, {"Bytes", 1}, {"bytes", 2}, {"bytes_in_use", 3}};
static_assert(IsSortedByKey(kRows));

TEST_CASE("A key table finds the value of each key and of no other text") {
  for (const KeyRow<int>& row : kRows) {
    const int* value = FindKey(kRows, row.key);
    REQUIRE(value != nullptr);
    CHECK(*value == row.value);
  }
  for (const char* missing : {"A", "byte", "bytes_", "zzz"})
    CHECK(FindKey(kRows, missing) == nullptr);
}

TEST_CASE("A table that is out of order is seen") {
  constexpr KeyRow<int> kBackwards[] = {{"b", 0}, {"a", 1}};
  CHECK_FALSE(IsSortedByKey(kBackwards));
}

}  // namespace
}  // namespace stepscope
