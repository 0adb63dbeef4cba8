// TraceBuilder: the only writer of a Trace. Loaders fill TrackData (one per track, one thread at a
// time each) and hand them over; Finish() sorts, nests, spills overlaps, builds pyramids (in
// parallel) and derives counts and spans. Nothing is dropped: what cannot be nested is spilled and
// counted in the diagnostics.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/base/column.h"
#include "model/base/status.h"
#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope {

// Raw events of one track in any order. `ref` is the event's offset in the source, relative to
// ref_base.
struct RawEvents {
  Column<Ps> start, dur;
  Column<uint32_t> meta;
  Column<uint64_t> wide_ref;  // used instead of `ref` when the line is 4 GB or longer
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
  Track track;       // lanes, rows, counts, span, busy are filled by Finish()
  RawEvents slices;  // with duration (a Chrome X of zero length too)
  RawEvents instants;
};

class TraceBuilder {
 public:
  TraceBuilder();
  // Names. The pool and metas belong to the builder; not thread-safe.
  StringPool& strings() { return names_->strings; }
  NameTable& names() { return *names_; }
  MetaId AddMeta(const EventMeta& meta);  // a mangled name without a display name gets one
  HostId AddHost(Host host);
  void Reserve(size_t planes, size_t tracks);  // room for so many more
  PlaneId AddPlane(Plane plane);               // tracks are listed in order of AddTrack
  TrackId AddTrack(TrackData data);            // data.track.plane and .name set
  Trace& trace() {
    return *trace_;
  }  // path, run, origin, hlo, diagnostics, errors: fill freely before Finish
  // A flow between two events, named by track and index in that track's raw slices (Finish maps
  // them to rows).
  void AddFlow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice, uint64_t id,
               StringId category);

  // kCancelled, or kLimit past 2^32 - 2 rows. Consumes the builder.
  Result<std::shared_ptr<const Trace>> Finish(std::stop_token stop = {},
                                              Progress* progress = nullptr);

  // The same nesting for a derived set: names may be shared with the trace. `source` as
  // TrackSet::source, by raw slice.
  static TrackSet BuildSet(std::string title, std::shared_ptr<const NameTable> names,
                           std::vector<TrackData> tracks,
                           std::vector<std::vector<EventRow>> source_of_slices = {});

 private:
  struct PendingFlow {
    TrackId from, to;
    uint32_t from_slice, to_slice;
    uint64_t id;
    StringId category;
  };
  void MapFlows(const std::vector<EventRow>& rows);  // from and to of each pending flow
  void Summarise(uint64_t slices, uint64_t instants);
  StringId ReadableName(StringId name);

  std::shared_ptr<NameTable> names_;
  std::shared_ptr<Trace> trace_;
  std::vector<std::vector<TrackData>> tracks_;  // in blocks, each freed when it is built
  uint32_t track_count_ = 0;
  std::vector<PendingFlow> flows_;
  std::unordered_map<uint32_t, StringId> readable_;  // mangled names met so far
  size_t readable_bytes_ = 0;
};

}  // namespace stepscope
