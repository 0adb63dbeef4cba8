// Whether the steps of two profiles differ by more than they scatter
// (docs/compare.md#significance). Pure.
#pragma once

#include <cstdint>
#include <span>

namespace stepscope::compare {

enum class Significance : uint8_t { kNone, kWeak, kStrong };
const char* IdOf(Significance significance);  // "none", "weak", "strong"

// Fewer steps on a side are never significant.
inline constexpr size_t kFewestSteps = 4;
// With fewer steps on a side a change that is not significant may be true as well.
inline constexpr size_t kFewSteps = 8;

// How the values of a series, in the order of time, scatter about their mean.
struct Scatter {
  double n = 0;         // number of values; 0: nothing is known
  double squares = 0;   // sum of the squared distances from the mean
  double products = 0;  // sum of the products of neighbouring distances
};

// The variance of the difference of the means of two series, each of which may depend on the value
// before: first-order autoregressive ones, whose correlation is estimated from both together
// (docs/compare.md#significance). A side that is not known adds nothing. O(1).
double VarianceOfShift(const Scatter& a, const Scatter& b);

struct RankTest {
  double p = 1;          // of the ranks, two-sided
  double p_of_mean = 1;  // of the means, with the effective number of values, two-sided
  double larger_p() const { return p > p_of_mean ? p : p_of_mean; }
  // The shift from a to b lies between `low` and `high` with 95 % confidence. With too few values
  // there is no interval: `bounded` is false and both are 0.
  double low = 0, high = 0;
  bool bounded = false;
  Significance significance = Significance::kNone;
};

// Two tests; both must reject chance. Weak means p < 0.05, strong p < 0.01; fewer than kFewestSteps
// values on a side are never significant. The values of each side are in the order of time.
// - The Mann-Whitney U test, with Hodges' and Lehmann's interval (Hollander, Wolfe, Chicken:
//   Nonparametric Statistical Methods, 4.1 and 4.3). It is exact if all values differ and there are
//   at most 400 pairs, else the normal approximation with corrections for ties and continuity. A
//   side with more than 1,000 values is sampled evenly. The interval is widened as the scatter of
//   the means is by correlation.
// - Welch's t test of the means, with the effective number of values of a first-order
//   autoregressive series (docs/compare.md#significance).
// O(n log n).
RankTest TestShift(std::span<const double> a, std::span<const double> b);

}  // namespace stepscope::compare
