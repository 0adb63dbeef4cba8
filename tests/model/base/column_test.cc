#include "model/base/column.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace stepscope {
namespace {

TEST_CASE("a column keeps its contents when it grows past the mapped size and shrinks below it") {
  Column<uint64_t> column;
  constexpr size_t kMany = 300'000;  // 2.4 MB: mapped
  for (size_t i = 0; i < kMany; ++i) column.push_back(i * i);
  CHECK(column.size() == kMany);
  column.Reserve(4 * kMany);
  column.ShrinkToFit();
  bool same = true;
  for (size_t i = 0; i < kMany; ++i) same = same && column[i] == i * i;
  CHECK(same);
  column.Resize(10);
  column.ShrinkToFit();  // back to malloc
  for (size_t i = 0; i < 10; ++i) CHECK(column[i] == i * i);
  const uint64_t* address = column.data();
  Column<uint64_t> moved = std::move(column);
  CHECK(moved.data() == address);  // lanes view moved columns
  CHECK(moved.span().size() == 10);
  moved.Release();
  CHECK(moved.empty());
  moved.push_back(3);
  CHECK(moved[0] == 3);
}

}  // namespace
}  // namespace stepscope
