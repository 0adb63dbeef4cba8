// Medians and percentiles, in one definition for all pages. Pure; O(count).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace stepscope {

// The value in the middle; of an even count the mean of the two in the middle, as statistics and
// XProf have it. Whole numbers, such as Ps, are rounded towards the lower one. 0 for no values.
template <typename T>
T Median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto above = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), above, values.end());
  if (values.size() % 2 == 1) return *above;
  const T below = *std::max_element(values.begin(), above);
  if constexpr (std::is_integral_v<T>) {
    // The distance of two numbers of 64 bits may need all of them without a sign.
    const uint64_t apart = static_cast<uint64_t>(*above) - static_cast<uint64_t>(below);
    return static_cast<T>(static_cast<uint64_t>(below) + apart / 2);
  } else {
    return (below + *above) / 2;
  }
}

// A value that occurs; of an even count the lower one in the middle. It is what others are compared
// with: a slow half does not raise it. Example: of two links, one is slow; the other one's time is
// the LowerMedian, and their Median is between both. 0 for no values.
template <typename T>
T LowerMedian(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The place, counted from 0, of a percentile among `count` sorted values: that of the least value
// which at least `percent` % of the values do not exceed (nearest rank). `count` > 0.
constexpr uint64_t NearestRank(uint64_t count, uint64_t percent) {
  const uint64_t whole = count / 100 * percent, rest = count % 100 * percent;
  return std::max<uint64_t>(whole + (rest + 99) / 100, 1) - 1;
}

}  // namespace stepscope
