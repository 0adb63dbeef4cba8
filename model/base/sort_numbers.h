// SortNumbers: sorts many numbers in ascending order, by radix. It is for numbers
// that are spread over a range, such as delays and distances. O(n) for each 11 bits
// of the range, and a copy of the numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope {

inline void SortNumbers(std::vector<int64_t>* numbers) {
  constexpr size_t kFew = 2048, kDigits = 1 << 11;
  constexpr unsigned kBits = 11;
  if (std::is_sorted(numbers->begin(), numbers->end())) return;
  const auto [least, most] = std::minmax_element(numbers->begin(), numbers->end());
  const uint64_t base = static_cast<uint64_t>(*least);
  const uint64_t span = static_cast<uint64_t>(*most) - base;
  if (numbers->size() < kFew || span >> 55 != 0) {  // six passes or more are not faster
    std::sort(numbers->begin(), numbers->end());
    return;
  }
  std::vector<int64_t> other(numbers->size());
  for (unsigned shift = 0; span >> shift != 0; shift += kBits) {
    const auto digit = [&](int64_t v) {
      return (static_cast<uint64_t>(v) - base) >> shift & (kDigits - 1);
    };
    std::array<size_t, kDigits> at{};
    for (const int64_t v : *numbers) ++at[digit(v)];
    size_t sum = 0;
    for (size_t& count : at) sum += std::exchange(count, sum);
    for (const int64_t v : *numbers) other[at[digit(v)]++] = v;
    numbers->swap(other);
  }
}

}  // namespace stepscope
