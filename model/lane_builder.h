// Turns the raw events of one track into lanes: sorts, nests, spills partial overlaps. Part of
// TraceBuilder. Pure: different tracks may be built on different threads. O(n) for sorted events,
// else O(n log n).
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "model/diagnostics.h"
#include "model/trace_builder.h"

namespace stepscope {

// Depths drawn for one track. Deeper events are spilled: recursion gone wild must not make lanes
// without end.
inline constexpr uint32_t kMaxDepth = 4096;

// The columns that lanes view. Moving keeps the addresses.
struct LaneColumns {
  Column<Ps> start, dur;
  Column<uint32_t> meta, ref;
  std::vector<uint64_t> ref_bases;
};

struct BuiltTrack {
  LaneColumns slices, instants;
  std::vector<Lane> lanes;  // first_row counts from the track's first; pyramids are not built
  std::vector<uint32_t> row_of_slice;  // raw slice -> row within the track; empty: the same numbers
  uint32_t rows = 0;                   // drawn rows
  TimeRange span;
  Ps busy = 0;
  uint64_t slice_count = 0, instant_count = 0;
  Diagnostics diagnostics;
};

// Takes the events out of `data`, whose columns are freed as soon as they are copied (sorted ones
// are adopted). `keep_rows`: fill row_of_slice. `name`: of the track, for diagnostics. Stops
// early, with what is done, on request.
BuiltTrack BuildLanes(TrackData& data, bool keep_rows, std::string_view name, std::stop_token stop);

}  // namespace stepscope
