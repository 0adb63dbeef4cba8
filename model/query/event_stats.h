// EventStats: how many events there are, how long they take, alone and with what is inside, by
// name, track or step. What `stepscope events --stats` writes and the selection panel shows. Pure;
// any thread. Definitions: docs/interface.md#events.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

class Scope;          // model/analysis/scope.h
struct Grouping;      // model/analysis/grouping.h
struct StepDatabase;  // model/analysis/steps.h

// How many durations lie between two limits, four bins for a doubling: bin 0 holds those of 0 ps,
// and bin b those of [BinBegin(b), BinBegin(b + 1)).
struct DurationHistogram {
  static constexpr size_t kBins = 256;
  static size_t BinOf(Ps duration);  // monotone; negative: 0
  static Ps BinBegin(size_t bin);    // kMaxPs behind the last one
  std::array<uint64_t, kBins> counts{};
};

// Times in ps. Percentiles by nearest rank: the least duration that at least that share of the
// durations does not exceed. stddev is the population's.
struct EventStatsRow {
  std::string name;
  uint64_t count = 0;
  Ps total = 0, self = 0;  // saturated
  double mean = 0;
  Ps median = 0, p95 = 0, p99 = 0, min = 0, max = 0;
  double stddev = 0;
  TrackId track;  // by track: which one; of `set`
  uint32_t set = 0;
  uint32_t step = ~uint32_t{0};  // by step: index into StepDatabase::steps; none: outside of steps
};

enum class GroupBy : uint8_t { kNone, kName, kTrack, kStep };

struct EventStats {
  EventStatsRow total;  // without a name
  DurationHistogram histogram;
  std::vector<EventStatsRow> groups;  // by falling total, then name
};

// Events of one set of a trace.
struct EventPart {
  uint32_t set = 0;                  // number of the set, as in EventRef
  const TrackSet* events = nullptr;  // the set
  const RowBits* rows = nullptr;     // null: all of the set
};

struct StatsQuestion {
  const Trace* trace = nullptr;
  std::vector<EventPart> parts;  // the trace's own set (set 0), derived ones, or several
  // Events count that begin in it, whole: what adjoining ranges have adds up. Null: all.
  const Scope* scope = nullptr;
  GroupBy by = GroupBy::kName;
  // For kStep: an event on a host belongs to the step that it begins in, one on a device to that
  // which launched it where `grouping` knows, else to the device's own step.
  const StepDatabase* steps = nullptr;
  const Grouping* grouping = nullptr;
};

// Slices only: instants have no duration. Self time is the duration without that of the events one
// depth down; events beside the nesting (spill lanes) have all of it. Stops early with nothing.
// O(events of the parts), whatever the number of groups; 8 bytes for each event that counts.
EventStats AddUp(const StatsQuestion& question, const std::stop_token& stop = {});

// The events of `set` among the list. O(list + rows / 64)
RowBits BitsOf(std::span<const EventRef> events, uint32_t set, const TrackSet& rows);

}  // namespace stepscope
