#include "model/compare/name_changes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/base/digits.h"
#include "model/compare/match.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr double kSame = 0.05;  // share of the larger time by which times of no change may differ

std::vector<TimeRange> Merged(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TimeRange& x, const TimeRange& y) { return x.begin < y.begin; });
  std::vector<TimeRange> out;
  for (const TimeRange& range : ranges) {
    if (range.empty()) continue;
    if (!out.empty() && range.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, range.end);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

// The weight of a track's times in their mean: 1 / GPUs with events, or 1 / hosts.
struct Shares {
  std::vector<uint8_t> gpu;  // by plane
  double of_gpu = 1, of_host = 1;

  explicit Shares(const Trace& trace) : gpu(trace.planes.size(), 0) {
    size_t gpus = 0;
    for (size_t p = 0; p < trace.planes.size(); ++p) {
      const Plane& plane = trace.planes[p];
      if (plane.kind != PlaneKind::kGpu) continue;
      gpu[p] = 1;
      gpus += std::any_of(plane.tracks.begin(), plane.tracks.end(), [&](TrackId track) {
        return !trace.set.LanesOf(trace.set.tracks[track.value]).empty();
      });
    }
    of_gpu = 1.0 / static_cast<double>(std::max<size_t>(1, gpus));
    of_host = 1.0 / static_cast<double>(std::max<size_t>(1, trace.hosts.size()));
  }
  double Of(const Track& track) const {
    return track.plane.valid() && gpu[track.plane.value] != 0 ? of_gpu : of_host;
  }
};

// By MetaId: ps of all events that begin in the ranges.
std::vector<double> SumsOf(const TrackSet& set, const Shares& shares,
                           std::span<const TimeRange> ranges, bool all) {
  std::vector<double> sums(set.names->metas.size(), 0.0);
  for (const Lane& lane : set.lanes) {
    CheckStop();
    if (lane.kind == LaneKind::kInstant) continue;
    const double share = shares.Of(set.tracks[lane.track.value]);
    const auto add = [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i)
        sums[lane.meta[i]] += static_cast<double>(lane.dur[i]) * share;
    };
    if (all) {
      add(0, lane.size());
      continue;
    }
    size_t at = 0;
    for (const TimeRange& range : ranges) {
      const auto from = [&](Ps t) {
        return static_cast<size_t>(
            std::lower_bound(lane.start.begin() + static_cast<ptrdiff_t>(at), lane.start.end(), t) -
            lane.start.begin());
      };
      const size_t first = from(range.begin);
      at = first;
      const size_t last = from(range.end);
      add(first, last);
      at = last;
    }
  }
  return sums;
}

struct Pair {
  double a = 0, b = 0;
};

struct SideSums {
  std::vector<const TrackSet*> sets;
  std::vector<std::vector<double>> sums;  // by set and MetaId: ps of a step
};

SideSums SideOf(const NamesOfProfile& profile, bool by_steps) {
  SideSums side;
  side.sets.push_back(&profile.trace->set);
  side.sets.insert(side.sets.end(), profile.derived.begin(), profile.derived.end());
  const std::vector<TimeRange> ranges = Merged(profile.steps);
  const Shares shares(*profile.trace);
  for (const TrackSet* set : side.sets) {
    side.sums.push_back(SumsOf(*set, shares, ranges, !by_steps));
    const auto steps = static_cast<double>(by_steps ? profile.steps.size() : 1);
    for (double& sum : side.sums.back()) sum /= steps;
  }
  return side;
}

// The names in sets [first, last) of both sides, which are compared with each other.
class Pool {
 public:
  void Add(const SideSums& side, size_t first, size_t last, double Pair::*of) {
    Each(side, first, last,
         [&](size_t, uint32_t, std::string_view name, double sum) { names_[name].*of += sum; });
  }
  // Call it after the last Add().
  void FindAlike() {
    for (const auto& [name, pair] : names_) {
      if (pair.a > 0 && pair.b > 0) continue;
      Pair& alike = alike_[WithoutNumbers(name)];
      alike.a += pair.a;
      alike.b += pair.b;
    }
  }
  void Find(const SideSums& side, size_t first, size_t last, bool is_b,
            std::vector<std::vector<NameChange>>* out) const {
    Each(side, first, last, [&](size_t set, uint32_t meta, std::string_view name, double) {
      Pair pair = names_.find(name)->second;
      if (pair.a <= 0 || pair.b <= 0) pair = alike_.find(WithoutNumbers(name))->second;
      (*out)[set][meta] =
          is_b ? ChangeOfTimes(pair.b, pair.a, true) : ChangeOfTimes(pair.a, pair.b, false);
    });
  }

 private:
  // Calls fn(set, meta, name, ps of a step) for the names with time.
  template <typename Fn>
  static void Each(const SideSums& side, size_t first, size_t last, const Fn& fn) {
    for (size_t s = first; s < std::min(last, side.sets.size()); ++s) {
      for (uint32_t m = 0; m < side.sums[s].size(); ++m) {
        if (side.sums[s][m] > 0)
          fn(s, m, side.sets[s]->names->DisplayName(MetaId(m)), side.sums[s][m]);
      }
    }
  }
  std::unordered_map<std::string_view, Pair> names_;
  std::unordered_map<std::string, Pair> alike_;
};

}  // namespace

NameChange ChangeOfTimes(double own, double other, bool own_is_b) {
  NameChange change;
  change.own = static_cast<float>(own);
  change.other = static_cast<float>(other);
  if (own <= 0) return change;
  if (other <= 0) {
    change.kind = NameChange::Kind::kOnlyHere;
    change.strength = NameChange::kMostStrength;
    return change;
  }
  change.kind = NameChange::Kind::kSame;
  if (std::abs(own - other) < kSame * std::max(own, other)) return change;
  const bool slower = own_is_b ? own > other : other > own;
  change.kind = slower ? NameChange::Kind::kSlower : NameChange::Kind::kFaster;
  const double doubled = std::min(1.0, std::abs(std::log2(own / other)));
  change.strength = static_cast<uint8_t>(std::lround(doubled * NameChange::kMostStrength));
  return change;
}

NameChanges FindNameChanges(const NamesOfProfile& a, const NamesOfProfile& b) {
  const bool by_steps = !a.steps.empty() && !b.steps.empty();
  const SideSums of_a = SideOf(a, by_steps), of_b = SideOf(b, by_steps);
  NameChanges out;
  CheckStop();
  for (const std::vector<double>& sums : of_a.sums) out.a.emplace_back(sums.size());
  for (const std::vector<double>& sums : of_b.sums) out.b.emplace_back(sums.size());
  constexpr size_t kAll = SIZE_MAX;
  for (const auto& [first, last] : {std::pair<size_t, size_t>(0, 1), {1, kAll}}) {
    Pool pool;
    pool.Add(of_a, first, last, &Pair::a);
    pool.Add(of_b, first, last, &Pair::b);
    pool.FindAlike();
    pool.Find(of_a, first, last, false, &out.a);
    pool.Find(of_b, first, last, true, &out.b);
  }
  return out;
}

}  // namespace stepscope
