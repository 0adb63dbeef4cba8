// Whether the steps of two runs differ by more than their own scatter
// (docs/compare.md#significance). Pure.
#pragma once

#include <cstdint>
#include <span>

namespace stepscope {

enum class Significance : uint8_t { kNone, kWeak, kStrong };
const char* IdOf(Significance significance);  // "none", "weak", "strong"

struct RankTest {
  double p = 1;  // two-sided
  // Within which the shift from a to b lies with 95 % confidence; 0 and not `bounded` where there
  // are too few.
  double low = 0, high = 0;
  bool bounded = false;
  Significance significance = Significance::kNone;
};

// The Mann-Whitney U test: exact where all values differ and there are at most 400 pairs, else the
// normal approximation with corrections for ties and continuity. The interval is Hodges' and
// Lehmann's (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 4.1 and 4.3). Weak:
// p < 0.05, strong: p < 0.01; fewer than 4 values of a side never are. Of more than 1,000 values a
// side an even sample. O(n log n), of pairs for the interval.
RankTest TestShift(std::span<const double> a, std::span<const double> b);

}  // namespace stepscope
