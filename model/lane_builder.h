// Turns the raw events of one track into lanes: sorts them, nests them, spills partial overlaps. A
// part of TraceBuilder. Stateless: different tracks may be built on different threads. O(n) for
// sorted events, else O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "model/diagnostics.h"
#include "model/raw_events.h"
#include "model/track.h"

namespace stepscope {

// Nested lanes of one track. Deeper events are spilled, because endless
// recursion must not make endless lanes.
inline constexpr uint32_t kMaxDepth = 4096;

// Owns the columns that lanes view. Moving it keeps the addresses.
struct LaneColumns {
  Column<Ps> start, dur;
  Column<uint32_t> meta, ref;
  std::vector<uint64_t> ref_bases;
};

struct BuiltTrack {
  LaneColumns slices, instants;
  std::vector<Lane> lanes;  // first_row counts from the track's first row; without pyramids
  std::vector<uint32_t> row_of_slice;  // row within the track by raw slice; empty: the same numbers
  uint32_t rows = 0;                   // rows that the track takes on the timeline
  TimeRange span;
  Ps busy = 0;
  uint64_t slice_count = 0, instant_count = 0;
  Diagnostics diagnostics;
};

// Memory that one track after the other is built with: the system zeroes each page that a process
// takes from it, which is slower than to copy a column.
struct LaneScratch {
  Column<uint32_t> order, place;
  Column<std::byte> column;
};

// Takes the columns out of `data` and orders them in place. `keep_rows`: whether row_of_slice is
// wanted. `name`: the track's, for diagnostics. A stopped call returns an empty track.
BuiltTrack BuildLanes(TrackData& data, bool keep_rows, std::string_view name, std::stop_token stop,
                      LaneScratch* scratch);

}  // namespace stepscope
