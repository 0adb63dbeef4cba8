// Adds up what the timeline shows between two times, by name and by kind of track.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// Sums of the events in view that share a name.
struct VisibleSum {
  uint64_t count = 0, slices = 0;  // all events, and those that have a duration
  Ps inside = 0;                   // the part within the range
  Ps self = 0;                     // of that, without events inside
  double whole = 0;                // the sum of whole durations
  void Add(const VisibleSum& other);
};
struct VisibleName {
  SharedText name;
  std::array<VisibleSum, 2> sides;  // of A and B; of one profile only the first
};

// The events on tracks of one kind.
struct VisibleKind {
  const char* name = "";            // "Threads"
  std::array<uint64_t, 2> count{};  // of A and B
  std::array<Ps, 2> busy{};         // sum over tracks of the time in view that has an event
};

struct VisibleEvents {
  bool of_both = false;             // of two profiles
  uint64_t events = 0, tracks = 0;  // events that touch the range; tracks that have some
  // Most self time first; of two profiles the largest change. Times count as far as they lie in the
  // range, but the mean is of whole durations. Annotations, modules and marks of steps, which name
  // the time of other events, count only where nothing else is in view.
  std::vector<VisibleName> names;
  // The busiest first. Tracks that only name time are left out as above.
  std::vector<VisibleKind> kinds;
  // `names` as a table: name, self_us, share, total_us, count, mean_us; of two profiles name, a_us,
  // b_us, delta_us (self times), a_count, b_count. Names of instants only have no times.
  ResultTable table;
};

// Adds up the trace's own events that touch the range, on one host; empty: on all.
// `stats` tells which events of the host mark steps; null: none does.
// O(events in the range + names)
VisibleEvents AddUpVisible(const Trace& trace, TimeRange range, const std::string& host,
                           const StatTable* stats = nullptr);

// Two such sums of one profile beside each other. O(names log names)
VisibleEvents CompareVisible(const VisibleEvents& a, const VisibleEvents& b);

}  // namespace stepscope
