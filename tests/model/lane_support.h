// Random lanes and raw events for the tests of the store. Deterministic for a seed.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "model/trace_builder.h"

namespace stepscope::test {

using Random = std::mt19937_64;

inline int64_t Uniform(Random& random, int64_t low, int64_t high) {  // both included
  return low + static_cast<int64_t>(random() % (static_cast<uint64_t>(high - low) + 1));
}

// The columns of one lane, owned.
struct OwnedLane {
  std::vector<Ps> start, dur;
  std::vector<uint32_t> meta;
  LaneView view() const { return {start, dur, meta}; }
  size_t size() const { return start.size(); }
  Ps end(size_t i) const { return start[i] + dur[i]; }
  void Add(Ps s, Ps d) {
    start.push_back(s);
    dur.push_back(d);
    meta.push_back(static_cast<uint32_t>(meta.size() % 7));
  }
};

// Sorted, disjoint events in bursts of different density, some without duration, some very long.
inline OwnedLane RandomLane(Random& random, size_t n) {
  OwnedLane lane;
  Ps t = Uniform(random, -1'000'000, 1'000'000);
  Ps scale = 1;
  while (lane.size() < n) {
    if (random() % 64 == 0) scale = Ps{1} << Uniform(random, 0, 20);
    if (random() % 3 == 0) t += Uniform(random, 0, scale * (random() % 50 == 0 ? 200 : 3));
    Ps dur = random() % 8 == 0 ? 0 : Uniform(random, 0, scale);
    if (random() % 200 == 0) dur *= 300;
    lane.Add(t, dur);
    t += dur;
  }
  return lane;
}

}  // namespace stepscope::test
