#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>

namespace stepscope::test {

// The processor time of `work()` in seconds, over all threads of the process. Other programs do
// not count.
template <typename Work>
double CpuSeconds(Work&& work) {
  const std::clock_t begin = std::clock();
  std::forward<Work>(work)();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// How much more processor time an input of size 4n takes than one of size n: 4 is linear, 16 is
// quadratic. `seconds(size)` is the time of one run; the least of three runs counts.
template <typename Seconds>
double GrowthOfFour(size_t n, const Seconds& seconds) {
  const auto least = [&](size_t size) {
    const double first = seconds(size), second = seconds(size);
    return std::min({first, second, static_cast<double>(seconds(size))});
  };
  const double small = std::max(least(n), 1e-6);
  return least(4 * n) / small;
}

// This limit is above linear or n log n growth on a noisy machine, and far below quadratic
// growth.
inline constexpr double kNearlyLinear = 9;

}  // namespace stepscope::test
