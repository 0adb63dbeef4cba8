#include "model/compare/step_items.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope::compare {
namespace {

// The values of each device, as the mean over all of them; 0 is not added.
StepSum SumOf(const std::vector<std::vector<double>>& devices) {
  StepSum sum;
  const double weight = 1 / static_cast<double>(devices.size() * devices.front().size());
  for (uint32_t d = 0; d < devices.size(); ++d) {
    const auto steps = static_cast<uint32_t>(devices[d].size());
    for (uint32_t s = 0; s < steps; ++s) {
      if (devices[d][s] != 0) sum.Add({d, s, steps}, devices[d][s] * weight);
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("The scatter of steps is that of their times about the mean") {
  const StepSum sum = SumOf({{1, 2, 6}});
  CHECK(sum.total() == doctest::Approx(3));
  const Scatter scatter = sum.ScatterOf(3, 1);
  CHECK(scatter.n == 3);
  CHECK(scatter.squares == doctest::Approx(4 + 1 + 9));
}

TEST_CASE("Steps that alternate correlate negatively, steps that drift positively") {
  std::vector<double> alternate, drift;
  for (int i = 0; i < 100; ++i) {
    alternate.push_back(i % 2 == 0 ? 9 : 11);
    drift.push_back(10 + i / 100.0);
  }
  const Scatter a = SumOf({alternate}).ScatterOf(100, 1), d = SumOf({drift}).ScatterOf(100, 1);
  CHECK(a.products / a.squares == doctest::Approx(-0.99));  // -99 of 100
  CHECK(d.products / d.squares > 0.9);
}

TEST_CASE("A step without the item has 0, wherever it is") {
  const Scatter gaps = SumOf({{4, 0, 0, 4, 0, 4}}).ScatterOf(6, 1);
  CHECK(gaps.squares == doctest::Approx(6 * 4));
  // The changes are 4, 0, 4, 4 and 4: the squares but for both ends, less half of theirs.
  CHECK(gaps.products == doctest::Approx(24 * 5 / 6. - 64 / 2.));
}

TEST_CASE("Devices that differ always differ by no scatter, and their steps count once") {
  const Scatter one = SumOf({{1, 2, 6}}).ScatterOf(3, 1);
  const Scatter two = SumOf({{1, 2, 6}, {11, 12, 16}}).ScatterOf(6, 2);
  CHECK(two.n == one.n);
  CHECK(two.squares == doctest::Approx(one.squares));
  CHECK(two.products / two.squares == doctest::Approx(one.products / one.squares));
}

TEST_CASE("Two steps tell no scatter") { CHECK(SumOf({{1, 2}}).ScatterOf(2, 1).n == 0); }

}  // namespace stepscope::compare
