#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>

namespace stepscope::test {

/// Processor time of `work()` in seconds, of all threads of the process. Other programs do not
/// count.
template <typename Work>
double CpuSeconds(Work&& work) {
  const std::clock_t begin = std::clock();
  std::forward<Work>(work)();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// How much more processor time an input of size 4n takes than one of size n: 4 is linear, 16 is
/// quadratic. `seconds(size)` is the time of one run; the least of three counts.
template <typename Seconds>
double GrowthOfFour(size_t n, const Seconds& seconds) {
  const auto least = [&](size_t size) {
    const double first = seconds(size), second = seconds(size);
    return std::min({first, second, static_cast<double>(seconds(size))});
  };
  const double small = std::max(least(n), 1e-6);
  return least(4 * n) / small;
}

/// Above what is linear or n log n on a noisy machine, far below what is quadratic.
inline constexpr double kNearlyLinear = 9;

}  // namespace stepscope::test
