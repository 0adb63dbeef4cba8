// LaneMip: the level-of-detail pyramid of one lane, whose events are sorted and do not overlap. A
// leaf stands for kLeaf events, a node of the first level for kFan leaves, and a node of a further
// level for kFan nodes of the one below. It takes 16 / kLeaf bytes for each event in leaves and
// 32 / kLeaf / (kFan - 1) in nodes, about 1.3. It is built in O(n). A query takes O(pixels * log
// n), never O(events). Immutable once built; any thread may read.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/base/column.h"
#include "model/time.h"

namespace stepscope {

struct LaneView {  // views the columns of one lane
  std::span<const Ps> start;
  std::span<const Ps> dur;
  std::span<const uint32_t> meta;
};

// Sums of neighbouring events.
struct MipLeaf {
  Ps busy;            // the sum of their durations
  float longest_dur;  // rounded, so that a leaf takes a quarter of a cache line
  uint32_t longest;   // index within the lane of the event that gave it; the first of several
};
static_assert(sizeof(MipLeaf) == 16);

// A node holds the same sums of many events, and their times, which would be read from far apart.
struct MipNode : MipLeaf {
  Ps begin, end;  // begin of the first event, end of the last one
};
static_assert(sizeof(MipNode) == 32);

// The events of one pixel column of a lane, or one event that spans several columns.
struct Bin {
  uint32_t px;     // first pixel column
  uint32_t width;  // pixel columns: 1 unless a single event is wider
  uint32_t event;  // index in the lane: the event, or the longest of several
  uint32_t count;  // events that the bin stands for
  Ps busy;         // sum of their durations, clipped to the view
};

// Indices [first, last) of the events of a sorted lane that touch the range: they begin before its
// end, and end after its begin or lie on it without duration. Empty for an empty range. O(log n).
std::pair<uint32_t, uint32_t> EventsTouching(const LaneView& lane, TimeRange range);

class LaneMip {
 public:
  static constexpr uint32_t kLeaf = 16;
  static constexpr uint32_t kFan = 8;
  static constexpr uint32_t kPartEvents = 65536;  // events of one BuildPart

  void Build(const LaneView& lane);
  // Builds the pyramid in parts, for a lane that would keep one thread busy for long: call Prepare,
  // then BuildPart for each part on any threads, then Finish.
  uint32_t Prepare(const LaneView& lane);  // returns the number of parts
  void BuildPart(const LaneView& lane, uint32_t part);
  void Finish();

  // Appends at most `width_px` bins that show the events touching `view`, left to right and without
  // common pixels. An event of a pixel or more has a bin of its own over all pixels that it
  // touches. Shorter events are folded into the bin of the pixel in which they begin; if a pixel
  // has many, a group of them may end up to a quarter of a pixel later. If the last pixel of a long
  // event is the first of the next one, the next one gets it; an event left without a pixel is
  // folded. Gaps stay gaps. The counts sum to the number of events touching the view.
  void AppendBins(const LaneView& lane, TimeRange view, uint32_t width_px,
                  std::vector<Bin>* out) const;
  // The exact busy time of the lane inside `range`; events at its borders are clipped. O(log n).
  Ps BusyIn(const LaneView& lane, TimeRange range) const;
  size_t bytes() const;

 private:
  friend class BinWriter;
  void FillFirst(const LaneView& lane, size_t begin, size_t end);
  void FillLevel(size_t level, size_t begin, size_t end);

  // Both are empty for a lane of few events, which is scanned as quickly.
  Column<MipLeaf> leaves_;
  std::vector<Column<MipNode>> levels_;
};

}  // namespace stepscope
