// EventStatsRow: how many events a group has and how long they take, in ps.
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

// Percentiles are by nearest rank: the least duration that at least that share of the durations
// does not exceed. stddev is the population's.
struct EventStatsRow {
  std::string name;
  uint64_t count = 0;
  Ps total = 0, self = 0;  // kMaxPs if the sum is larger
  double mean = 0;
  Ps median = 0, p95 = 0, p99 = 0, min = 0, max = 0;
  double stddev = 0;
  TrackId track;  // groups by track: the track of `set`
  uint32_t set = 0;
  uint32_t step =
      ~uint32_t{0};  // groups by step: index into StepDatabase::steps; ~0: outside steps
};

}  // namespace stepscope
