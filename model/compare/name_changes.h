// NameChanges: how much time the events of each name take in a step of either of two runs
// (docs/compare.md#colours-on-the-timeline). By name only, so that it is there for every slice of a
// timeline; what explains the change of the step is in contributions.h. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct NameChange {
  enum class Kind : uint8_t { kNone, kSame, kSlower, kFaster, kOnlyHere };
  static constexpr uint8_t kMostStrength = 15;
  Kind kind = Kind::kNone;   // kNone: no event of the name counts
  uint8_t strength = 0;      // 0 to kMostStrength: at twice or half the time and beyond
  float own = 0, other = 0;  // ps of a step: in this run, and in the other one
  bool operator==(const NameChange&) const = default;
};

// One run: sets of events and the steps that count, in its time; no steps: all of the recording is
// one. Sets that are drawn from others (derived ones) are compared among themselves.
struct NamesOfRun {
  const Trace* trace = nullptr;
  std::vector<const TrackSet*> derived;
  std::vector<TimeRange> steps;
};

struct NameChanges {
  // By set, 0 being the trace's own, then by meta.
  std::vector<std::vector<NameChange>> a, b;
};

// Means over the GPUs and over the hosts of a run. A name that the other run lacks is compared with
// those that the other has alone and that differ in their numbers only; where there are none it is
// kOnlyHere. O(events of the steps + names); stopped early it has nothing.
NameChanges FindNameChanges(const NamesOfRun& a, const NamesOfRun& b, const std::stop_token& stop);

// Of times of a step. Below 5 % it is the same.
NameChange ChangeOfTimes(double own, double other, bool own_is_b);

}  // namespace stepscope
