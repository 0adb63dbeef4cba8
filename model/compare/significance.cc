#include "model/compare/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace stepscope::compare {
namespace {

constexpr size_t kMostValues = 1000, kMostExact = 400;
constexpr size_t kFewest = 4;               // values that each side needs to be significant
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

// Finds the interval of the shift among the differences of all pairs.
void Bound(const std::vector<double>& a, const std::vector<double>& b, RankTest* test) {
  const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
  const double skip = std::floor(m * n / 2 - kZ95 * std::sqrt(m * n * (m + n + 1) / 12));
  if (skip < 1) return;
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) differences.push_back(y - x);
  }
  const auto at = static_cast<std::ptrdiff_t>(skip) - 1;
  const auto low = differences.begin() + at;
  std::nth_element(differences.begin(), low, differences.end());
  test->low = *low;
  const auto high = differences.end() - 1 - at;
  std::nth_element(differences.begin(), high, differences.end());
  test->high = *high;
  test->bounded = true;
}

}  // namespace

const char* IdOf(Significance significance) {
  static constexpr std::array<const char*, 3> kIds = {"none", "weak", "strong"};
  return kIds[static_cast<size_t>(significance)];
}

RankTest TestShift(std::span<const double> a, std::span<const double> b) {
  RankTest test;
  if (a.empty() || b.empty()) return test;
  const std::vector<double> x = Sample(a), y = Sample(b);
  const Ranks ranks = RanksOf(x, y);
  const bool exact = ranks.ties == 0 && x.size() * y.size() <= kMostExact;
  test.p = exact ? ExactP(x.size(), y.size(), ranks.u)
                 : NormalP(static_cast<double>(x.size()), static_cast<double>(y.size()), ranks);
  Bound(x, y, &test);
  if (std::min(a.size(), b.size()) < kFewest) return test;
  if (test.p < 0.05) test.significance = Significance::kWeak;
  if (test.p < 0.01) test.significance = Significance::kStrong;
  return test;
}

}  // namespace stepscope::compare
