// StatsQuestion: which events AddUp adds up (event_stats.h), and by what they are grouped; borrows
// all that it points to. EventStatsRow: how many events a group has and how long they take, in ps.
// DurationBins: bins for durations in ps, 2^kBits bins for each doubling. Durations below
// 2^(kBits + 1) ps have a bin each; O(1).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/query/row_bits.h"
#include "model/time.h"
#include "model/trace.h"

namespace stepscope {

class Scope;          // model/analysis/steps/scope.h
struct Grouping;      // model/analysis/grouping/grouping.h
struct StepDatabase;  // model/analysis/steps/steps.h

enum class GroupBy : uint8_t { kNone, kName, kTrack, kStep };

// Some or all events of one set of a trace.
struct EventPart {
  uint32_t set = 0;                  // number of the set, as in EventRef
  const TrackSet* events = nullptr;  // the set
  const RowBits* rows = nullptr;     // null: all of the set
};

struct StatsQuestion {
  const Trace* trace = nullptr;
  std::vector<EventPart> parts;  // the trace's own set (set 0), derived ones, or several
  // An event that begins in the scope counts with its whole duration, so that adjoining ranges add
  // up. Null: all events count.
  const Scope* scope = nullptr;
  GroupBy by = GroupBy::kName;
  // For kStep. An event on a host belongs to the step in which it begins. An event
  // on a device belongs to the step that launched it if `grouping` knows that
  // step, else to the device's own step.
  const StepDatabase* steps = nullptr;
  const Grouping* grouping = nullptr;
};

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

template <unsigned kBits>
struct DurationBins {
  static constexpr size_t kPerDoubling = size_t{1} << kBits;

  // Monotone. Negative durations are in bin 0.
  static size_t BinOf(Ps duration) {
    if (duration < Ps{kPerDoubling}) return duration <= 0 ? 0 : static_cast<size_t>(duration);
    const auto d = static_cast<uint64_t>(duration);
    const auto exponent = static_cast<unsigned>(std::bit_width(d)) - (kBits + 1);
    return exponent * kPerDoubling + static_cast<size_t>(d >> exponent);
  }
  // The least duration of the bin; kMaxPs behind the last one.
  static Ps BinBegin(size_t bin) {
    if (bin < 2 * kPerDoubling) return static_cast<Ps>(bin);
    const size_t exponent = bin / kPerDoubling - 1;
    const uint64_t leading = uint64_t{bin % kPerDoubling} + kPerDoubling;
    return exponent > 62 - kBits ? kMaxPs : static_cast<Ps>(leading << exponent);
  }
};

}  // namespace stepscope
