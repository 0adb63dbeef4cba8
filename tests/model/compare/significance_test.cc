#include "model/compare/significance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace stepscope::compare {

TEST_CASE("Exact probabilities are those in the tables of the U test") {
  const std::vector<double> a{1, 2, 3}, b{4, 5, 6};
  CHECK(TestShift(a, b).p == doctest::Approx(0.1));  // 2 of 20 orders
  const std::vector<double> c{3, 1, 4, 2}, d{7, 5, 8, 6};
  CHECK(TestShift(c, d).p == doctest::Approx(2.0 / 70));
  CHECK(TestShift(c, d).significance == Significance::kWeak);
  // Values that rise all the time drift: nothing happens between the sides.
  const std::vector<double> rising{1, 2, 3, 4}, on{5, 6, 7, 8};
  CHECK(TestShift(rising, on).significance == Significance::kNone);
  const std::vector<double> e{1, 4, 5}, f{2, 3, 6, 7};  // u = 8 of 12: scipy says 0.6285714
  CHECK(TestShift(e, f).p == doctest::Approx(22.0 / 35));
}

TEST_CASE("Equal steps do not differ, three never do, five that lie apart do") {
  const std::vector<double> same(10, 7.5), two{1, 2}, other{3, 4};
  CHECK(TestShift(same, same).p == 1);
  CHECK(TestShift(two, other).significance == Significance::kNone);
  const std::vector<double> low{1.3, 1.1, 1.5, 1.2, 1.4}, high{2.3, 2.1, 2.5, 2.2, 2.4};
  const RankTest test = TestShift(low, high);
  CHECK(test.significance == Significance::kStrong);
  CHECK(test.low > 0);
  CHECK(test.low <= 1);
  CHECK(test.high >= 1);
  CHECK(TestShift({}, high).p == 1);
}

TEST_CASE("The test errs about as often as its level allows, and it finds a shift") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(10, 1);
  int weak = 0, found = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> a, b, shifted;
    for (int i = 0; i < 30; ++i) {
      a.push_back(normal(random));
      b.push_back(normal(random));
      shifted.push_back(normal(random) + 2);
    }
    weak += TestShift(a, b).p < 0.05;
    const RankTest test = TestShift(a, shifted);
    found += test.significance == Significance::kStrong && test.low < 2.6 && test.high > 1.4;
  }
  CHECK(weak >= kRuns / 100);
  CHECK(weak <= kRuns / 10);
  CHECK(found >= kRuns * 95 / 100);
}

namespace {

// Steps of 10 ms that scatter by `deviation`; each depends on the one before it by `correlation`.
std::vector<double> Correlated(size_t n, double correlation, double deviation,
                               std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  const double fresh = std::sqrt(1 - correlation * correlation);
  std::vector<double> values;
  double at = normal(*random);
  for (size_t i = 0; i < n; ++i) {
    values.push_back(10 + deviation * at);
    at = correlation * at + fresh * normal(*random);
  }
  return values;
}

}  // namespace

TEST_CASE("Two parts of one run of an equal program are strong in at most 3 % of pairs") {
  for (const double correlation : {0.0, 0.3, 0.6, 0.8}) {
    for (const size_t n : {15, 50, 100, 400}) {
      std::mt19937_64 random(11);
      const int runs = n == 400 ? 200 : 600;
      int strong = 0;
      for (int run = 0; run < runs; ++run) {
        const std::vector<double> all = Correlated(2 * n, correlation, 1, &random);
        const std::span<const double> both(all);
        strong += TestShift(both.first(n), both.last(n)).significance == Significance::kStrong;
      }
      CAPTURE(correlation);
      CAPTURE(n);
      CHECK(strong <= runs * 3 / 100);
    }
  }
}

TEST_CASE("A change of 5 % is found among 60 independent steps of 2 % noise") {
  std::mt19937_64 random(12);
  int found = 0;
  for (int run = 0; run < 400; ++run) {
    const std::vector<double> a = Correlated(60, 0, 0.2, &random);
    std::vector<double> b = Correlated(60, 0, 0.2, &random);
    for (double& v : b) v *= 1.05;
    found += TestShift(a, b).significance == Significance::kStrong;
  }
  CHECK(found >= 380);
}

TEST_CASE("One outlier hides no change, and equal values that moved differ") {
  const std::vector<double> a{5, 5.1, 4.9, 5, 5.1, 4.9, 5.05, 4.95};
  std::vector<double> b = a;
  for (double& v : b) v += 1;
  b[3] = 90;
  CHECK(TestShift(a, b).significance == Significance::kStrong);
  const std::vector<double> low(8, 1.0), high(8, 2.0);
  CHECK(TestShift(low, high).significance == Significance::kStrong);
}

TEST_CASE("The interval's ends are differences of pairs, by their rank among all of them") {
  std::mt19937_64 random(11);
  for (int run = 0; run < 60; ++run) {
    std::vector<double> a, b, differences;
    const auto value = [&] {  // whole numbers have ties; shifts go both ways, through 0
      const auto some = static_cast<double>(static_cast<int64_t>(random() % 40)) - 20;
      return run % 2 == 0 ? some : some / 7;
    };
    for (uint64_t i = 10 + random() % 30; i > 0; --i) a.push_back(value());
    for (uint64_t i = 10 + random() % 30; i > 0; --i) b.push_back(value() + run % 5 - 2);
    for (const double x : a) {
      for (const double y : b) differences.push_back(y - x);
    }
    std::sort(differences.begin(), differences.end());
    const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
    const auto skip =
        static_cast<size_t>(m * n / 2 - 1.959963984540054 * std::sqrt(m * n * (m + n + 1) / 12));
    REQUIRE(skip >= 1);
    const RankTest test = TestShift(a, b);
    REQUIRE(test.bounded);
    // Correlation widens the interval around its middle.
    const double middle = (differences[skip - 1] + differences[differences.size() - skip]) / 2;
    CHECK((test.low + test.high) / 2 == doctest::Approx(middle).epsilon(1e-9));
    CHECK(test.high - test.low >=
          differences[differences.size() - skip] - differences[skip - 1] - 1e-9);
  }
}

TEST_CASE("Thousands of steps are tested by a sample") {
  std::vector<double> a, b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(i % 97);
    b.push_back(i % 97 + 40);
  }
  CHECK(TestShift(a, b).significance == Significance::kStrong);
}

}  // namespace stepscope::compare
