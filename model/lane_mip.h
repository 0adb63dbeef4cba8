// LaneMip: level-of-detail pyramid of one lane (sorted, non-overlapping events).
// Level 0 groups kLeaf events, each further level kFan nodes of the one below. Memory: 32 / kLeaf *
// kFan / (kFan - 1) bytes an event (about 2.3). Built in O(n); a query costs O(pixels * log n),
// never O(events).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/base/column.h"
#include "model/time.h"

namespace stepscope {

struct LaneView {  // the columns of one lane
  std::span<const Ps> start;
  std::span<const Ps> dur;
  std::span<const uint32_t> meta;
};

struct MipNode {
  Ps begin, end;      // of the first and the last event below
  Ps busy;            // sum of durations below
  float longest_dur;  // rounded, so that a node has the size of half a cache line
  uint32_t
      longest;  // index within the lane of the longest event (rounded; the first of equal ones)
};
static_assert(sizeof(MipNode) == 32);

// What one pixel column of a lane shows.
struct Bin {
  uint32_t px;     // first pixel column
  uint32_t width;  // pixel columns: 1 unless a single event is wider
  uint32_t event;  // index in lane: the event, or the longest folded one
  uint32_t count;  // 1: a single event; more: folded
  Ps busy;         // durations of its events, clipped to the view
};

// Indices [first, last) of the events of a sorted lane that touch the range: they begin before its
// end, and end after its begin or lie on it without duration. Empty for an empty range. O(log n).
std::pair<uint32_t, uint32_t> EventsTouching(const LaneView& lane, TimeRange range);

class LaneMip {
 public:
  static constexpr uint32_t kLeaf = 16;
  static constexpr uint32_t kFan = 8;
  static constexpr uint32_t kPartEvents = 65536;  // of one BuildPart

  void Build(const LaneView& lane);
  // The same in parts, for a lane that would keep one thread busy for long: Prepare, then
  // BuildPart(0 .. parts - 1) on any threads, then Finish.
  uint32_t Prepare(const LaneView& lane);  // returns the number of parts
  void BuildPart(const LaneView& lane, uint32_t part);
  void Finish();

  // Appends at most `width_px` bins, left to right and without common pixels, that cover the events
  // touching `view`. Events of a pixel or more come alone, over all pixels that they touch; shorter
  // ones are folded into the pixel where they begin (where there are many a pixel, a group of them
  // also where it ends at most a quarter of a pixel later). Where a long event's last pixel is also
  // the first of the next, the next gets it; one that keeps no pixel for itself is folded. Gaps are
  // not bridged; the counts sum to the events touching the view. Bins depend on pixels, never on
  // the number of events.
  void AppendBins(const LaneView& lane, TimeRange view, uint32_t width_px,
                  std::vector<Bin>* out) const;
  // Busy time of the lane inside `range`, exact: events at the borders are clipped. O(log n).
  Ps BusyIn(const LaneView& lane, TimeRange range) const;
  size_t bytes() const;

 private:
  friend class BinWriter;
  void FillLevel(size_t level, size_t begin, size_t end);

  std::vector<Column<MipNode>>
      levels_;  // empty for a lane of few events, where scanning is as quick
};

}  // namespace stepscope
