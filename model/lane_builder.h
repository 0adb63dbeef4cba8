// Turns the raw events of one track into lanes: sorts them, nests them, spills partial overlaps. A
// part of TraceBuilder. Stateless: different tracks may be built on different threads. O(n) for
// sorted events, else O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "model/base/column.h"
#include "model/diagnostics.h"
#include "model/time.h"
#include "model/track.h"

namespace stepscope {

// RawEvents, TrackData: the events of a track as a loader reads them, before TraceBuilder sorts and
// nests them. Each is filled by one thread at a time.

// Events of one track in any order. Times in ps, `meta` is a MetaId. `ref` is the event's offset in
// the source, counted from ref_base; Lane::kNoRef: it has no stats.
struct RawEvents {
  Column<Ps> start, dur;
  Column<uint32_t> meta;
  Column<uint64_t> wide_ref;  // whole offsets, instead of `ref`, if the line is 4 GB or longer
  Column<uint32_t> ref;
  uint64_t ref_base = 0;
  void Add(Ps s, Ps d, uint32_t m, uint32_t r) {
    start.push_back(s);
    dur.push_back(d);
    meta.push_back(m);
    ref.push_back(r);
  }
  // The same for any offset: the column of references becomes 64 bits wide when one needs it.
  void AddWide(Ps s, Ps d, uint32_t m, uint64_t offset) {
    start.push_back(s);
    dur.push_back(d);
    meta.push_back(m);
    if (wide_ref.empty() && offset < Lane::kNoRef) {
      ref.push_back(static_cast<uint32_t>(offset));
      return;
    }
    if (wide_ref.empty()) {
      for (size_t i = 0; i < ref.size(); ++i) wide_ref.push_back(ref[i]);
      ref = {};
    }
    wide_ref.push_back(offset);
  }
};

struct TrackData {
  Track track;       // TraceBuilder sets its lanes, rows, counts, span and busy time
  RawEvents slices;  // events with a duration, which may be 0
  RawEvents instants;
  // The file's times are rounded: an event that ends at most so much after the event around it is
  // inside it, and is cut at its end.
  Ps rounding = 0;
};

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
