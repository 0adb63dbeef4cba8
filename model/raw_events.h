// RawEvents, TrackData: the events of a track as a loader reads them, before TraceBuilder sorts and
// nests them. Each is filled by one thread at a time.
#pragma once

#include <cstdint>

#include "model/base/column.h"
#include "model/time.h"
#include "model/track.h"

namespace stepscope {

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
};

struct TrackData {
  Track track;       // TraceBuilder sets its lanes, rows, counts, span and busy time
  RawEvents slices;  // events with a duration, which may be 0
  RawEvents instants;
};

}  // namespace stepscope
