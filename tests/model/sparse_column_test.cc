// Compares SparseColumn with a std::map: values and rows of every width,
// through Find, ForRange and Cursor.
#include "model/sparse_column.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace stepscope {
namespace {

template <typename T>
uint64_t Bits(T value) {
  if constexpr (std::is_same_v<T, StringId>) {
    return value.value;
  } else {
    return std::bit_cast<uint64_t>(value);
  }
}

// Appends parts of uneven length, as loaders do.
template <typename T>
SparseColumn<T> Make(const std::map<uint32_t, T>& entries) {
  SparseColumn<T> column;
  std::vector<uint32_t> rows;
  std::vector<T> values;
  size_t part = 1;
  for (const auto& [row, value] : entries) {
    rows.push_back(row);
    values.push_back(value);
    if (rows.size() == part) {
      column.Append(rows, values);
      rows.clear();
      values.clear();
      part = part * 3 % 1009;
    }
  }
  column.Append(rows, values);
  column.ShrinkToFit();
  return column;
}

template <typename T>
void CheckAgainst(const std::map<uint32_t, T>& entries, const SparseColumn<T>& column) {
  REQUIRE(column.size() == entries.size());
  CHECK(column.empty() == entries.empty());
  size_t wrong = 0;
  auto next = entries.begin();
  column.ForAll([&](uint32_t row, T value) {
    wrong += row != next->first || Bits(value) != Bits(next->second);
    ++next;
  });
  CHECK(next == entries.end());

  const T missing = entries.empty() ? T{} : entries.begin()->second;
  typename SparseColumn<T>::Cursor cursor(column);
  for (const auto& [row, value] : entries) {
    for (const uint32_t near : {row - 1, row, row + 1}) {
      const auto want = entries.find(near);
      const std::optional<T> found = column.Find(EventRow(near));
      wrong += found.has_value() != (want != entries.end());
      wrong += found && Bits(*found) != Bits(want->second);
    }
    wrong += Bits(cursor.Get(row, missing)) != Bits(value);
  }
  CHECK(wrong == 0);
}

template <typename T>
void CheckRange(const std::map<uint32_t, T>& entries, const SparseColumn<T>& column, uint32_t first,
                uint32_t end) {
  std::vector<uint32_t> got, want;
  column.ForRange(first, end, [&](uint32_t row, T) { got.push_back(row); });
  for (auto it = entries.lower_bound(first); it != entries.end() && it->first < end; ++it) {
    want.push_back(it->first);
  }
  CHECK(got == want);

  typename SparseColumn<T>::Cursor cursor(column);
  cursor.Seek(first);
  size_t wrong = 0;
  for (uint32_t row = first; row < std::min(end, first + 2000); ++row) {
    const auto it = entries.find(row);
    const T value = cursor.Get(row, T{});
    wrong += Bits(value) != (it == entries.end() ? Bits(T{}) : Bits(it->second));
  }
  CHECK(wrong == 0);
}

TEST_CASE("sparse columns: parts may come in any order of rows") {
  std::map<uint32_t, int64_t> entries;
  std::vector<SparseColumn<int64_t>> parts(9);
  for (uint32_t part = 0; part < parts.size(); ++part) {
    std::vector<uint32_t> rows;
    std::vector<int64_t> values;
    for (uint32_t i = 0; i < 700; ++i) {
      rows.push_back(part * 5000 + 3 * i);
      values.push_back(int64_t{i} * i - 1000 * int64_t{part});
      entries[rows.back()] = values.back();
    }
    parts[part].Append(rows, values);
  }
  SparseColumn<int64_t> column;
  for (const size_t part : {4, 0, 8, 1, 7, 5, 2, 6, 3}) column.Append(parts[part]);
  column.ShrinkToFit();
  CheckAgainst(entries, column);
  CheckRange(entries, column, 4999, 21'000);
}

TEST_CASE("sparse columns: integers of every width and distance of rows") {
  std::mt19937_64 random(7);
  for (const uint32_t step : {1u, 3u, 300u, 70'000u}) {
    for (const int bits : {0, 1, 8, 9, 31, 33, 63, 64}) {
      std::map<uint32_t, int64_t> entries;
      uint32_t row = 5;
      for (int i = 0; i < 3000; ++i) {
        const uint64_t value = bits == 0 ? 42 : random() >> (64 - bits);
        entries[row] = static_cast<int64_t>(value) - (bits == 9 ? 300 : 0);
        row += 1 + (step == 1 ? 0 : static_cast<uint32_t>(random() % step));
      }
      const SparseColumn<int64_t> column = Make(entries);
      CheckAgainst(entries, column);
      CheckRange(entries, column, 0, 100);
      CheckRange(entries, column, row / 3, row / 2);
      CheckRange(entries, column, row + 1, row + 100);
    }
  }
}

TEST_CASE("sparse columns: extremes of values and rows") {
  const std::map<uint32_t, int64_t> entries{{0, std::numeric_limits<int64_t>::min()},
                                            {1, std::numeric_limits<int64_t>::max()},
                                            {2, 0},
                                            {0xfffffffe, -1}};
  CheckAgainst(entries, Make(entries));
  CheckAgainst<int64_t>({}, {});
  CHECK_FALSE(SparseColumn<int64_t>().Find(EventRow(0)).has_value());
  CHECK_FALSE(Make(entries).Find(EventRow()).has_value());  // no row
}

TEST_CASE("sparse columns: texts and reals") {
  std::mt19937_64 random(11);
  std::map<uint32_t, StringId> texts;
  std::map<uint32_t, double> reals;
  for (uint32_t i = 0; i < 2000; ++i) {
    texts[i * 2] = StringId(static_cast<uint32_t>(random() % 700));
    reals[i * 5] = i < 1000 ? 62.5 : std::bit_cast<double>(random());  // NaNs keep their bits
  }
  CheckAgainst(texts, Make(texts));
  CheckAgainst(reals, Make(reals));
}

TEST_CASE("sparse columns: equal values and successive rows take next to nothing") {
  std::map<uint32_t, int64_t> same, counting;
  for (uint32_t i = 0; i < 25'600; ++i) {
    same[i] = -7;
    counting[i * 3] = 1'000'000'000'000 + i;
  }
  CHECK(Make(same).bytes() < same.size() / 4);
  CHECK(Make(counting).bytes() < 4 * counting.size());
}

TEST_CASE("sparse columns: the extent of a range holds all of its values, and no more blocks") {
  std::map<uint32_t, int64_t> entries;
  for (uint32_t i = 0; i < 4096; ++i)
    entries[3 * i] = i < 2048 ? int64_t{-40'000} + i : (int64_t{i} << 40) - 5;
  const SparseColumn<int64_t> column = Make(entries);
  const auto near = column.ExtentOf(0, 3 * 1024);
  CHECK(near.entries >= 1024);
  CHECK(near.entries < 1024 + 512);  // of the block at each end
  CHECK(near.least == -40'000);
  CHECK(near.greatest >= -40'000 + 1023);
  CHECK(near.greatest <= 65'536);  // narrow distances are not looked at
  const auto all = column.ExtentOf(0, ~uint32_t{0});
  CHECK(all.entries == 4096);
  CHECK(all.greatest == (int64_t{4095} << 40) - 5);
  CHECK(SparseColumn<int64_t>().ExtentOf(0, 100).entries == 0);

  const std::map<uint32_t, int64_t> large{{1, std::numeric_limits<int64_t>::max() - 3}};
  CHECK(Make(large).ExtentOf(0, 9).greatest == std::numeric_limits<int64_t>::max());
}

TEST_CASE("sparse columns: a cursor passes by blocks between the rows that it is asked for") {
  std::map<uint32_t, int64_t> entries;
  for (uint32_t i = 0; i < 10'000; ++i) entries[7 * i + 2] = int64_t{i} * i;
  const SparseColumn<int64_t> column = Make(entries);
  SparseColumn<int64_t>::Cursor cursor(column);
  CHECK(cursor.Get(0, -1) == -1);
  CHECK(cursor.Get(2, -1) == 0);
  CHECK(cursor.Get(2, -1) == 0);  // the same row again
  for (const uint32_t i : {1u, 255u, 256u, 900u, 5'000u, 9'999u}) {
    CHECK(cursor.Get(7 * i + 1, -1) == -1);
    CHECK(cursor.Get(7 * i + 2, -1) == int64_t{i} * i);
  }
  CHECK(cursor.Get(~uint32_t{0}, -1) == -1);
  cursor.Seek(7 * 300);
  CHECK(cursor.Get(7 * 300 + 2, -1) == 90'000);
}

}  // namespace
}  // namespace stepscope
