// Sum, spread and percentiles of a list of durations in ps. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/query/stats_question.h"
#include "model/time.h"

namespace stepscope {

// An exact sum of durations. Those of many threads add up to more than Ps holds, which is 106 days.
__extension__ using PsSum = __int128;

// Percentiles are by nearest rank: the least value that at least that
// share of the values does not exceed.
struct DurationStats {
  uint64_t count = 0;
  PsSum total = 0;
  Ps min = 0, max = 0, median = 0, p95 = 0, p99 = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean
};

// Reorders `values`. O(n).
DurationStats StatsOf(std::span<Ps> values);

// Counts values in fine bins, which gives percentiles of many values without a copy of them. A bin
// holds one value below 512 ps, and a 256th of a doubling above.
class FineCounts : public DurationBins<8> {
 public:
  static constexpr size_t kBins = 58 * kPerDoubling;
  FineCounts() : counts_(kBins) {}
  void Add(std::span<const Ps> values);
  void Add(const FineCounts& other);
  uint64_t operator[](size_t bin) const { return counts_[bin]; }

 private:
  std::vector<uint64_t> counts_;
};

// Median, p95 and p99 of all values in the parts. `counts`: of these values; `count`: their number.
// O(n); copies only the values of the bins that hold a percentile.
std::array<Ps, 3> PercentilesOf(std::span<const std::span<const Ps>> parts,
                                const FineCounts& counts, uint64_t count);

}  // namespace stepscope
