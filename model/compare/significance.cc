#include "model/compare/significance.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "model/base/statistics.h"

namespace stepscope::compare {
namespace {

constexpr size_t kMostValues = 1000, kMostExact = 400;
constexpr double kZ95 = 1.959963984540054;  // quantile 0.975 of the normal distribution

std::vector<double> Sample(std::span<const double> all) {
  if (all.size() <= kMostValues) return {all.begin(), all.end()};
  std::vector<double> some;
  for (size_t i = 0; i < kMostValues; ++i) some.push_back(all[i * all.size() / kMostValues]);
  return some;
}

struct Ranks {
  double u = 0;     // number of pairs in which b is larger; equal pairs count half
  double ties = 0;  // sum of t^3 - t over groups of equal values
};

Ranks RanksOf(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  all.reserve(a.size() + b.size());
  for (const double v : a) all.emplace_back(v, false);
  for (const double v : b) all.emplace_back(v, true);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  size_t smaller = 0;  // values of a below the current one
  for (size_t i = 0; i < all.size();) {
    size_t of_a = 0, of_b = 0;
    const double value = all[i].first;
    for (; i < all.size() && all[i].first == value; ++i) ++(all[i].second ? of_b : of_a);
    ranks.u +=
        static_cast<double>(of_b) * (static_cast<double>(smaller) + static_cast<double>(of_a) / 2);
    smaller += of_a;
    const auto t = static_cast<double>(of_a + of_b);
    ranks.ties += t * t * t - t;
  }
  return ranks;
}

// By u, its probability if a and b have one distribution. The number of orders that give u obeys
// counts(m, n, u) = counts(m - 1, n, u - n) + counts(m, n - 1, u).
std::vector<double> ExactChances(size_t m, size_t n) {
  std::vector<std::vector<double>> row(n + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& counts : row) counts[0] = 1;  // a has no values: only u = 0
  for (size_t i = 1; i <= m; ++i) {
    std::vector<std::vector<double>> next = row;
    std::fill(next[0].begin(), next[0].end(), 0.0);
    next[0][0] = 1;
    for (size_t j = 1; j <= n; ++j) {
      for (size_t u = 0; u <= m * n; ++u)
        next[j][u] = next[j - 1][u] + (u >= j ? row[j][u - j] : 0);
    }
    row = std::move(next);
  }
  double all = 0;
  for (const double count : row[n]) all += count;
  for (double& count : row[n]) count /= all;
  return row[n];
}

double ExactP(size_t m, size_t n, double u) {
  const std::vector<double> chances = ExactChances(m, n);
  const double most = static_cast<double>(m * n);
  const double tail = std::min(u, most - u);
  double p = 0;
  for (size_t i = 0; i < chances.size() && static_cast<double>(i) <= tail; ++i) p += chances[i];
  return std::min(1.0, 2 * p);
}

double NormalP(double m, double n, const Ranks& ranks) {
  const double all = m + n;
  const double variance = m * n / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(ranks.u - m * n / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

// Values beyond 4 standard deviations of the median count as that far: a single outlier must not
// hide a difference.
struct Series : Scatter {
  double mean = 0;
};

std::pair<double, double> LimitsOf(std::vector<double> values) {
  const double middle = Median(values);
  for (double& v : values) v = std::abs(v - middle);
  const double reach = 4 * 1.4826 * Median(std::move(values));
  constexpr double kAll = std::numeric_limits<double>::infinity();
  return reach > 0 ? std::pair(middle - reach, middle + reach) : std::pair(-kAll, kAll);
}

Series SeriesOf(std::span<const double> values) {
  Series series;
  series.n = static_cast<double>(values.size());
  const auto [low, high] = LimitsOf({values.begin(), values.end()});
  for (const double v : values) series.mean += std::clamp(v, low, high) / series.n;
  double before = 0;
  for (const double v : values) {
    const double distance = std::clamp(v, low, high) - series.mean;
    series.squares += distance * distance;
    series.products += distance * before;
    before = distance;
  }
  return series;
}

// The correlation of neighbouring values, from both sides together. The estimate of a short series
// is too low by (1 + 3 r) / n (Kendall) and uncertain by 1 / sqrt(n): three quarters of that are
// added, so that series of unknown correlation count as correlated.
double CorrelationOf(const Scatter& a, const Scatter& b) {
  const double squares = a.squares + b.squares;
  if (squares <= 0) return 0;
  const double r = (a.products + b.products) / squares;
  const double shorter = a.n > 0 && b.n > 0 ? std::min(a.n, b.n) : a.n + b.n;
  const double bias = (1 + 3 * std::max(r, 0.0)) / shorter;
  return std::clamp(r + bias + 0.75 / std::sqrt(a.n + b.n), 0.0, 0.98);
}

// By how much the variance of the mean of n values exceeds that of independent ones.
double InflationOf(double r, double n) {
  const double gone = 1 - r;
  return std::max(1.0, (1 + r) / gone - 2 * r * (1 - std::pow(r, n)) / (n * gone * gone));
}

double VarianceOfMean(const Scatter& side, double inflation) {
  // The values lie closer to their own mean than to the true one.
  const double seen = std::max(0.05, 1 - (inflation - 1) / (side.n - 1));
  return side.squares / (side.n - 1) / seen * inflation / side.n;
}

// The two-sided p of Student's t, by Wallace's approximation (1959) of the normal quantile.
double StudentP(double t, double freedom) {
  const double z =
      std::sqrt(freedom * std::log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3);
  return std::erfc(z / std::sqrt(2.0));
}

// Sets p_of_mean; returns by how much correlation widens the scatter of the means.
double TestMeans(std::span<const double> a, std::span<const double> b, RankTest* test) {
  if (std::min(a.size(), b.size()) < 2) return 1;
  const Series x = SeriesOf(a), y = SeriesOf(b);
  const double r = CorrelationOf(x, y);
  const double of_x = InflationOf(r, x.n), of_y = InflationOf(r, y.n);
  const double variance = VarianceOfMean(x, of_x) + VarianceOfMean(y, of_y);
  const double shift = std::abs(x.mean - y.mean);
  const double freedom = std::max(1.0, x.n / of_x + y.n / of_y - 2);
  if (variance > 0) {
    test->p_of_mean = StudentP(shift / std::sqrt(variance), freedom);
  } else if (shift > 0) {
    test->p_of_mean = 0;
  }
  return std::sqrt((of_x + of_y) / 2);
}

// Widens the interval around its middle.
void Widen(double factor, RankTest* test) {
  const double middle = (test->low + test->high) / 2, half = (test->high - test->low) / 2;
  test->low = middle - factor * half;
  test->high = middle + factor * half;
}

// The number of pairs whose difference y - x is at most `limit`. Both sides ascend. O(m + n).
size_t CountDifferences(const std::vector<double>& x, const std::vector<double>& y, double limit) {
  size_t count = 0, smaller = 0;  // values of y, which are few enough for the x at hand
  for (const double v : x) {
    while (smaller < y.size() && y[smaller] - v <= limit) ++smaller;
    count += smaller;
  }
  return count;
}

// Maps numbers to integers of the same order, and back.
int64_t OrderOf(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
}
double NumberAt(int64_t order) {
  return std::bit_cast<double>(order < 0 ? std::numeric_limits<int64_t>::min() - order : order);
}

// The n-th smallest difference y - x of all pairs, from 1. Both sides ascend. Halves the range of
// numbers in which it lies, so that no list of all pairs is made. O(m + n).
double NthDifference(const std::vector<double>& x, const std::vector<double>& y, size_t n) {
  int64_t low = OrderOf(y.front() - x.back()), high = OrderOf(y.back() - x.front());
  while (low < high) {
    const int64_t middle = std::midpoint(low, high);
    if (CountDifferences(x, y, NumberAt(middle)) >= n) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NumberAt(low);
}

// Finds the interval of the shift among the differences of all pairs. Both sides ascend.
void Bound(const std::vector<double>& x, const std::vector<double>& y, RankTest* test) {
  const size_t pairs = x.size() * y.size();
  const auto m = static_cast<double>(x.size()), n = static_cast<double>(y.size());
  const double skip = std::floor(m * n / 2 - kZ95 * std::sqrt(m * n * (m + n + 1) / 12));
  if (skip < 1) return;
  const auto at = static_cast<size_t>(skip);
  test->low = NthDifference(x, y, at);
  test->high = NthDifference(x, y, pairs + 1 - at);
  test->bounded = true;
}

}  // namespace

const char* IdOf(Significance significance) {
  static constexpr std::array<const char*, 3> kIds = {"none", "weak", "strong"};
  return kIds[static_cast<size_t>(significance)];
}

double VarianceOfShift(const Scatter& a, const Scatter& b) {
  const double r = CorrelationOf(a, b);
  double variance = 0;
  for (const Scatter* side : {&a, &b}) {
    if (side->n > 1) variance += VarianceOfMean(*side, InflationOf(r, side->n));
  }
  return variance;
}

RankTest TestShift(std::span<const double> a, std::span<const double> b) {
  RankTest test;
  if (a.empty() || b.empty()) return test;
  std::vector<double> x = Sample(a), y = Sample(b);
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  const Ranks ranks = RanksOf(x, y);
  const bool exact = ranks.ties == 0 && x.size() * y.size() <= kMostExact;
  test.p = exact ? ExactP(x.size(), y.size(), ranks.u)
                 : NormalP(static_cast<double>(x.size()), static_cast<double>(y.size()), ranks);
  Bound(x, y, &test);
  Widen(TestMeans(a, b, &test), &test);
  if (std::min(a.size(), b.size()) < kFewestSteps) return test;
  if (test.larger_p() < 0.05) test.significance = Significance::kWeak;
  if (test.larger_p() < 0.01) test.significance = Significance::kStrong;
  return test;
}

}  // namespace stepscope::compare
