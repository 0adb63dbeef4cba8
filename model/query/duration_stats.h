// Sum, spread and percentiles of a list of durations. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/time.h"

namespace stepscope {

// Without rounding: a trace of many threads lasts longer, added up, than 106 days.
__extension__ using PsSum = __int128;

// Percentiles by nearest rank: the least value that at least that share of the values does not
// exceed.
struct DurationStats {
  uint64_t count = 0;
  PsSum total = 0;
  Ps min = 0, max = 0, median = 0, p95 = 0, p99 = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean
};

// May bring `values` in another order. O(n)
DurationStats StatsOf(std::span<Ps> values);

// Counts of fine bins, for percentiles of many values without a copy of them: each is exact below
// 256 ps, and a 256th of a doubling above.
class FineCounts {
 public:
  static constexpr size_t kBins = 58 * 256;
  static size_t BinOf(Ps value);
  static Ps BinBegin(size_t bin);
  FineCounts() : counts_(kBins) {}
  void Add(std::span<const Ps> values);
  void Add(const FineCounts& other);
  uint64_t operator[](size_t bin) const { return counts_[bin]; }

 private:
  std::vector<uint64_t> counts_;
};

// Median, p95 and p99 of all values in the parts, whose counts these are. O(n), n / 256 of it
// copied where durations are spread.
std::array<Ps, 3> PercentilesOf(std::span<const std::span<const Ps>> parts,
                                const FineCounts& counts, uint64_t count);

}  // namespace stepscope
