// NameChanges: how much time the events of each name take in a step of either of two profiles
// (docs/compare.md#colours-on-the-timeline). It goes by name only, so that every slice of a
// timeline has a change. What explains the change of the step is in contributions.h. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct NameChange {
  enum class Kind : uint8_t { kNone, kSame, kSlower, kFaster, kOnlyHere };
  static constexpr uint8_t kMostStrength = 15;
  Kind kind = Kind::kNone;   // kNone: no event of the name counts
  uint8_t strength = 0;      // 0 to kMostStrength, which is twice or half the time and beyond
  float own = 0, other = 0;  // ps of a step, in this profile and in the other one
  bool operator==(const NameChange&) const = default;
};

// One profile: its sets of events, and the steps that count, in its own time. Without steps the
// whole recording counts. Derived sets are compared with derived sets only.
struct NamesOfProfile {
  const Trace* trace = nullptr;
  std::vector<const TrackSet*> derived;
  std::vector<TimeRange> steps;
};

struct NameChanges {
  // By set (0 is the trace's own), then by MetaId.
  std::vector<std::vector<NameChange>> a, b;
};

// Times are means over the GPUs or over the hosts of a profile. A name that the other profile lacks
// is compared with names that only the other has and that differ in their numbers alone; if there
// are none it is kOnlyHere. O(events of the steps + names).
NameChanges FindNameChanges(const NamesOfProfile& a, const NamesOfProfile& b);

// The change between two times of a step. Times that differ by less than 5 % are the same.
NameChange ChangeOfTimes(double own, double other, bool own_is_b);

}  // namespace stepscope
