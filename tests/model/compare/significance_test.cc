#include "model/compare/significance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace stepscope::compare {

TEST_CASE("Exact probabilities are those in the tables of the U test") {
  const std::vector<double> a{1, 2, 3}, b{4, 5, 6};
  CHECK(TestShift(a, b).p == doctest::Approx(0.1));  // 2 of 20 orders
  const std::vector<double> c{1, 2, 3, 4}, d{5, 6, 7, 8};
  CHECK(TestShift(c, d).p == doctest::Approx(2.0 / 70));
  CHECK(TestShift(c, d).significance == Significance::kWeak);
  const std::vector<double> e{1, 4, 5}, f{2, 3, 6, 7};  // u = 8 of 12: scipy says 0.6285714
  CHECK(TestShift(e, f).p == doctest::Approx(22.0 / 35));
}

TEST_CASE("Equal steps do not differ, three never do, five that lie apart do") {
  const std::vector<double> same(10, 7.5), two{1, 2}, other{3, 4};
  CHECK(TestShift(same, same).p == 1);
  CHECK(TestShift(two, other).significance == Significance::kNone);
  const std::vector<double> low{1.1, 1.2, 1.3, 1.4, 1.5}, high{2.1, 2.2, 2.3, 2.4, 2.5};
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

TEST_CASE("Thousands of steps are tested by a sample") {
  std::vector<double> a, b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(i % 97);
    b.push_back(i % 97 + 40);
  }
  CHECK(TestShift(a, b).significance == Significance::kStrong);
}

}  // namespace stepscope::compare
