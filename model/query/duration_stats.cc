#include "model/query/duration_stats.h"

#include <algorithm>

#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kFew =
    65'536;  // up to so many values are sorted in place; more are counted in bins
constexpr std::array<uint64_t, 3> kPercents = {50, 95, 99};

std::array<Ps, 3> SelectInPlace(std::span<Ps> values) {
  std::array<Ps, 3> found{};
  size_t end = values.size();
  for (size_t k = kPercents.size(); k-- > 0;) {  // what lies above the previous rank is in place
    const size_t rank = NearestRank(values.size(), kPercents[k]);
    if (rank < end) {
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                       values.begin() + static_cast<std::ptrdiff_t>(end));
      end = rank;
    }
    found[k] = values[rank];
  }
  return found;
}

// The bin that holds a wanted rank, and its values.
struct Wanted {
  size_t bin = 0;
  uint64_t below = 0;  // values in lower bins
  std::vector<std::vector<Ps>> values;
};

}  // namespace

void FineCounts::Add(std::span<const Ps> values) {
  for (const Ps v : values) ++counts_[BinOf(v)];
}

void FineCounts::Add(const FineCounts& other) {
  for (size_t b = 0; b < kBins; ++b) counts_[b] += other.counts_[b];
}

std::array<Ps, 3> PercentilesOf(std::span<const std::span<const Ps>> parts,
                                const FineCounts& counts, uint64_t count) {
  std::array<Ps, 3> found{};
  if (count == 0) return found;
  std::array<uint64_t, 3> ranks{};
  std::array<Wanted, 3> wanted;
  for (size_t k = 0; k < kPercents.size(); ++k) {
    ranks[k] = NearestRank(count, kPercents[k]);
    Wanted& w = wanted[k];
    w.values.resize(parts.size());
    while (w.below + counts[w.bin] <= ranks[k]) w.below += counts[w.bin++];
  }
  ParallelFor(parts.size(), [&](size_t p) {
    for (const Ps v : parts[p]) {
      const size_t bin = FineCounts::BinOf(v);
      for (Wanted& w : wanted) {
        // Below 512 ps all values of a bin are the same.
        if (w.bin == bin && bin >= 512) w.values[p].push_back(v);
      }
    }
  });
  for (size_t k = 0; k < kPercents.size(); ++k) {
    Wanted& w = wanted[k];
    found[k] = FineCounts::BinBegin(w.bin);
    if (w.bin < 512) continue;
    std::vector<Ps> values;
    for (const std::vector<Ps>& part : w.values)
      values.insert(values.end(), part.begin(), part.end());
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(ranks[k] - w.below);
    std::nth_element(values.begin(), at, values.end());
    found[k] = *at;
  }
  return found;
}

DurationStats StatsOf(std::span<Ps> values) {
  DurationStats stats;
  stats.count = values.size();
  if (values.empty()) return stats;
  stats.min = stats.max = values.front();
  for (const Ps v : values) {
    stats.total += v;
    stats.min = std::min(stats.min, v);
    stats.max = std::max(stats.max, v);
  }
  stats.mean = static_cast<double>(stats.total) / static_cast<double>(stats.count);
  for (const Ps v : values) {
    const double distance = static_cast<double>(v) - stats.mean;
    stats.squares += distance * distance;
  }
  std::array<Ps, 3> percentiles{};
  if (values.size() <= kFew) {
    percentiles = SelectInPlace(values);
  } else {
    FineCounts counts;
    counts.Add(values);
    const std::span<const Ps> all[] = {values};
    percentiles = PercentilesOf(all, counts, values.size());
  }
  stats.median = percentiles[0];
  stats.p95 = percentiles[1];
  stats.p99 = percentiles[2];
  return stats;
}

}  // namespace stepscope
