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

TEST_CASE("columns that get room together keep their contents, grow and are freed on their own") {
  for (const size_t n : {size_t{1000}, size_t{100'001}}) {  // the larger ones are mapped
    Column<uint64_t> wide;
    Column<uint32_t> narrow;
    for (uint32_t i = 0; i < 100; ++i) wide.push_back(i), narrow.push_back(2 * i);
    wide.ReserveWith(n, &narrow);
    CHECK(wide.capacity() == n);
    CHECK(narrow.capacity() == n);
    for (auto i = static_cast<uint32_t>(wide.size()); i < 2 * n; ++i)
      wide.push_back(i), narrow.push_back(2 * i);
    bool same = true;
    for (uint32_t i = 0; i < 2 * n; ++i) same = same && wide[i] == i && narrow[i] == 2 * i;
    CHECK(same);
    wide.Release();
    CHECK(narrow[n] == 2 * n);
    narrow.Resize(n);
    narrow.ShrinkToFit();
    CHECK(narrow[n - 1] == 2 * (n - 1));
  }
}

}  // namespace
}  // namespace stepscope
