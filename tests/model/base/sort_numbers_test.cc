#include "model/base/sort_numbers.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace stepscope {
namespace {

void CheckSorts(std::vector<int64_t> numbers) {
  std::vector<int64_t> expected = numbers;
  std::sort(expected.begin(), expected.end());
  SortNumbers(&numbers);
  CHECK(numbers == expected);
}

}  // namespace

TEST_CASE("numbers of any spread come out as std::sort has them") {
  std::mt19937_64 random(7);
  for (const size_t n : {0u, 1u, 2u, 2047u, 2048u, 20'000u}) {
    for (const unsigned bits : {1u, 11u, 12u, 33u, 54u, 55u, 56u, 64u}) {
      std::vector<int64_t> numbers(n);
      for (int64_t& v : numbers) v = static_cast<int64_t>(random() >> (64 - bits));
      CAPTURE(n);
      CAPTURE(bits);
      CheckSorts(numbers);
      for (int64_t& v : numbers) v = v / 2 - (int64_t{1} << (bits / 2));  // below zero too
      CheckSorts(numbers);
    }
  }
}

TEST_CASE("the ends of the range and equal numbers") {
  std::vector<int64_t> numbers(5'000, 3);
  CheckSorts(numbers);
  numbers[17] = std::numeric_limits<int64_t>::min();
  numbers[4'000] = std::numeric_limits<int64_t>::max();
  CheckSorts(numbers);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = -static_cast<int64_t>(i % 7);
  CheckSorts(numbers);
}

}  // namespace stepscope
