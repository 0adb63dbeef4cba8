// Which rows of a comparison stand out from the scatter of the steps.
#include "model/compare/contributions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace stepscope::compare {
namespace {

// The times of one op in n steps: 10 ms that scatter by 2 %; each depends on the one before it by
// `correlation`.
std::vector<double> CorrelatedWith(size_t n, double correlation, std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  const double fresh = std::sqrt(1 - correlation * correlation);
  std::vector<double> values;
  double at = normal(*random);
  for (size_t i = 0; i < n; ++i) {
    values.push_back(10 + 0.2 * at);
    at = correlation * at + fresh * normal(*random);
  }
  return values;
}

// A profile whose only item is that op, on `devices` devices of which each takes 1 ms longer than
// the one before.
StepItems ProfileOf(const std::vector<double>& times, double factor = 1, size_t devices = 1) {
  StepItems profile;
  profile.samples = times.size() * devices;
  profile.devices = devices;
  StepItem item;
  item.name = "op";
  const double weight = 1 / static_cast<double>(profile.samples);
  const auto steps = static_cast<uint32_t>(times.size());
  for (uint32_t d = 0; d < devices; ++d) {
    for (uint32_t s = 0; s < steps; ++s) {
      const double time = (times[s] + d) * factor * weight;
      item.time.Add({d, s, steps}, time / 2);
      item.time.Add({d, s, steps}, time / 2);
    }
  }
  profile.mean = item.time.total();
  profile.items.push_back(item);
  return profile;
}

// Whether the change of the op is listed for no other reason than that it stands out.
bool StandsOutOf(const StepItems& a, const StepItems& b) {
  const Floors floors{0, std::numeric_limits<double>::infinity()};
  return !FindContributions(a, b, floors).rows.empty();
}

}  // namespace

TEST_CASE("Rows of two parts of one run stand out in at most 3 % of pairs, however steps depend") {
  for (const double correlation : {0.0, 0.3, 0.6, 0.8}) {
    for (const size_t n : {15, 50, 100, 400}) {
      std::mt19937_64 random(13);
      const int runs = n == 400 ? 200 : 600;
      int out = 0;
      for (int run = 0; run < runs; ++run) {
        const std::vector<double> all = CorrelatedWith(2 * n, correlation, &random);
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(n);
        out += StandsOutOf(ProfileOf({all.begin(), middle}), ProfileOf({middle, all.end()}));
      }
      CAPTURE(correlation);
      CAPTURE(n);
      CHECK(out <= runs * 3 / 100);
    }
  }
}

TEST_CASE("A row that changes by 5 % stands out among 60 independent steps of 2 % noise") {
  std::mt19937_64 random(14);
  for (const size_t devices : {1, 4}) {
    int found = 0;
    for (int run = 0; run < 400; ++run) {
      const StepItems a = ProfileOf(CorrelatedWith(60, 0, &random), 1, devices);
      found += StandsOutOf(a, ProfileOf(CorrelatedWith(60, 0, &random), 1.05, devices));
    }
    CAPTURE(devices);
    CHECK(found >= 380);
  }
}

TEST_CASE("A row of fewer than three steps stands out, because nothing says how they scatter") {
  CHECK(StandsOutOf(ProfileOf({10, 12}), ProfileOf({12, 11})));
  CHECK_FALSE(StandsOutOf(ProfileOf({10, 12, 14}), ProfileOf({12, 14, 11})));
}

}  // namespace stepscope::compare
