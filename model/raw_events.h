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
};

}  // namespace stepscope
