// EventOrder: the events of each track in nesting order (by start, then longer first, then as in
// the file), slices and instants together. Positions of a track are the same numbers as its rows,
// in another order. Owned by the AnalysisContext; immutable. O(n log lanes), parallel over tracks,
// 4 bytes an event.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// Rows [first, first + count) of a track.
struct RowRange {
  uint32_t first = 0, count = 0;
  uint32_t end() const { return first + count; }
  bool Contains(uint32_t row) const { return row - first < count; }
};
RowRange RowsOf(const TrackSet& set, const Track& track);

struct EventOrder {
  std::vector<uint32_t> tracks;  // indices of the set's tracks as in the files: host, plane, line
  std::vector<uint32_t> row;     // by position
};
// The tracks by falling number of events, for ParallelFor.
std::vector<uint32_t> LargestFirst(const TrackSet& set, std::vector<uint32_t> tracks);

// as_in_file: a line whose events are not sorted in the file keeps the file's order (XProf does not
// sort), unless its plane has threadpool regions, whose lines XProf sorts.
EventOrder BuildEventOrder(const Trace& trace, bool as_in_file, std::stop_token stop);

// "/host:CPU" exactly: the plane that XProf's host statistics read.
bool IsHostCpu(const Trace& trace, const Plane& plane);
// Threads of a host, whatever the format: /host:CPU planes and the process planes of a Chrome
// trace.
bool IsHostThreads(const Plane& plane);
// Where a host's events are: on the /host:CPU plane, or where planes do not tell, on all threads.
bool HoldsHostEvents(const Trace& trace, const Plane& plane);

// Reads one column of a track by row without a search for the lane each time: remembers the last
// lane.
class RowReader {
 public:
  explicit RowReader(const TrackSet& set) : set_(set) {}
  Ps Start(uint32_t row) { return At(row).start[row - lane_->first_row]; }
  Ps Duration(uint32_t row) { return At(row).dur[row - lane_->first_row]; }
  Ps End(uint32_t row) { return SaturatingAdd(Start(row), Duration(row)); }
  uint32_t Meta(uint32_t row) { return At(row).meta[row - lane_->first_row]; }
  uint64_t Offset(uint32_t row) { return At(row).SourceOffset(row - lane_->first_row); }
  uint32_t TrackOf(uint32_t row) { return At(row).track.value; }

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
