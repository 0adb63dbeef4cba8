// EventOrder: the events of each track in nesting order, slices and instants together: by
// start, then longer first, then as in the file. A *position* is an index in that order;
// positions of a track are the same numbers as its rows, so that arrays by position and by row
// have equal sizes. Owned by the AnalysisContext; immutable; any thread. O(n log lanes),
// parallel over tracks; 4 bytes an event.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/column.h"
#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

// The rows [first, first + count) of a track.
struct RowRange {
  uint32_t first = 0, count = 0;
  uint32_t end() const { return first + count; }
  bool Contains(uint32_t row) const { return row - first < count; }
};
RowRange RowsOf(const TrackSet& set, const Track& track);

struct EventOrder {
  // Indices of the set's tracks in the order of the files: by host, plane, line.
  std::vector<uint32_t> tracks;
  Column<uint32_t> row;  // by position

  static EventOrder Compute(AnalysisContext& context);
};
// The given tracks, those with most events first: for ParallelFor.
std::vector<uint32_t> LargestFirst(const TrackSet& set, std::vector<uint32_t> tracks);

// `as_in_file`: a line whose events are not sorted in the file keeps the file's order, as in XProf,
// unless its plane has threadpool regions: XProf sorts the lines of those.
EventOrder BuildEventOrder(const Trace& trace, bool as_in_file);

// Whether the plane is named "/host:CPU", the one that XProf's host statistics read.
bool IsHostCpu(const Trace& trace, const Plane& plane);
// Whether the plane has the threads of a host: a /host:CPU plane, or a process of a Chrome trace.
bool IsHostThreads(const Plane& plane);
// Whether the plane has events of its host: /host:CPU where planes name hosts, else all threads.
bool HoldsHostEvents(const Trace& trace, const Plane& plane);

// Reads the columns of a track by row. Remembers the last lane, so that reading rows in order needs
// no search. Used by one thread.
class RowReader {
 public:
  explicit RowReader(const TrackSet& set) : set_(set) {}
  Ps Start(uint32_t row) { return At(row).start[row - lane_->first_row]; }
  Ps Duration(uint32_t row) { return At(row).dur[row - lane_->first_row]; }
  Ps End(uint32_t row) { return SaturatingAdd(Start(row), Duration(row)); }
  uint32_t Meta(uint32_t row) { return At(row).meta[row - lane_->first_row]; }
  uint64_t Offset(uint32_t row) { return At(row).SourceOffset(row - lane_->first_row); }
  uint32_t TrackOf(uint32_t row) { return At(row).track.value; }
  uint32_t LaneOf(uint32_t row) { return static_cast<uint32_t>(&At(row) - set_.lanes.data()); }

 private:
  const Lane& At(uint32_t row) {
    if (!lane_ || row - lane_->first_row >= lane_->size()) {
      lane_ = &set_.lanes[set_.LaneOf(EventRow(row)).value];
    }
    return *lane_;
  }
  const TrackSet& set_;
  const Lane* lane_ = nullptr;
};

}  // namespace stepscope
