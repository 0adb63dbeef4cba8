// Adds up what the timeline shows between two times, by name and by kind of track.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct VisibleName {  // the events of one name
  SharedText name;
  uint64_t count = 0;
  std::optional<double> self_us, share, total_us, mean_us;  // none: these are instants
};
struct VisibleKind {  // the events of one kind of track
  SharedText kind;
  uint64_t count = 0;
  Ps busy = 0;
};

struct VisibleEvents {
  uint64_t events = 0, tracks = 0;  // events that touch the range; tracks that have some
  // name, self_us, share, total_us, count, mean_us; most self time first. Times count as
  // far as they lie in the range, but the mean is of whole durations. Self time leaves out
  // the events inside. Annotations, modules and marks of steps, which name the time of other
  // events, count only where nothing else is in view. Names of instants only have no times.
  ResultTable names;
  // kind of track, count, busy_us; the busiest first. Tracks that only name time are left out as
  // above.
  ResultTable kinds;
  // The rows of the tables; empty where two profiles are compared.
  std::vector<VisibleName> by_name = {};
  std::vector<VisibleKind> by_kind = {};
};

// Adds up the trace's own events that touch the range, on one host; empty: on all.
// `stats` tells which events of the host mark steps; null: none does.
// O(events in the range + names)
VisibleEvents AddUpVisible(const Trace& trace, TimeRange range, const std::string& host,
                           const StatTable* stats = nullptr);

// Two such sums beside each other. names: name, a_us, b_us, delta_us (self times), a_count,
// b_count; the largest change first. kinds: kind of track, a_count, a_us, b_count, b_us.
// O(names log names)
VisibleEvents CompareVisible(const VisibleEvents& a, const VisibleEvents& b);

}  // namespace stepscope
