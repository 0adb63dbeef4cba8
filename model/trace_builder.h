// TraceBuilder: the only writer of a Trace. A loader fills one TrackData for each track and hands
// it over. Finish() sorts and nests the events, spills overlaps onto lanes of their own, builds the
// pyramids on several threads, and derives counts and spans. No event is dropped: what cannot be
// nested is spilled and counted in the diagnostics. Planes without a host get one, which has no
// name, so that every plane of a trace has a host. Not thread-safe; different TrackData may be
// filled on different threads. O(n) for sorted events, else O(n log n).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/lane_builder.h"
#include "model/trace.h"

namespace stepscope {

class TraceBuilder {
 public:
  TraceBuilder();
  // The names of the trace, which the builder owns until Finish().
  StringPool& strings() { return names_->strings; }
  NameTable& names() { return *names_; }
  MetaId AddMeta(const EventMeta& meta);  // demangles a name that has no display name
  HostId AddHost(Host host);
  void Reserve(size_t planes, size_t tracks);  // makes room for so many more
  PlaneId AddPlane(Plane plane);               // AddTrack appends to its list of tracks
  TrackId AddTrack(TrackData data);            // data.track.plane and .name must be set
  Trace& trace() {
    return *trace_;
  }  // loaders set path, run, origin, hlo, diagnostics and errors before Finish
  // Adds a flow between two events. Each is named by its track and its index among the track's raw
  // slices, which Finish() maps to rows.
  void AddFlow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice, uint64_t id,
               StringId category);

  // Consumes the builder. Errors: kCancelled; kLimit beyond 2^32 - 2 rows or if memory is short.
  Result<std::shared_ptr<const Trace>> Finish(std::stop_token stop = {},
                                              Progress* progress = nullptr);

  // Builds a derived set in the same way. It may share names with the trace. `source_of_slices`: by
  // track and raw slice, what TrackSet::source has by row; tracks may have none.
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
  void MapFlows(const std::vector<EventRow>& rows);  // `rows`: from and to of each pending flow
  void Summarise(uint64_t slices, uint64_t instants);
  StringId ReadableName(StringId name);

  std::shared_ptr<NameTable> names_;
  std::shared_ptr<Trace> trace_;
  std::vector<std::vector<TrackData>> tracks_;  // in blocks; each is freed when it is built
  uint32_t track_count_ = 0;
  std::vector<PendingFlow> flows_;
  std::unordered_map<uint32_t, StringId>
      readable_;  // demangled names by StringId of the mangled one
  size_t readable_bytes_ = 0;
};

}  // namespace stepscope
