// DepthInView: how many rows each track needs for what is in view: up to its deepest lane with an
// event there. A track grows at once and shrinks when the gesture that moved the view has ended, so
// that nothing jumps on the way. Pure. A frame in which nothing moved costs nothing; else
// O(rows of the tracks looked at * log n): all where few tracks are deep, else those in sight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "viewer/timeline/layout.h"

namespace stepscope {

struct DepthInput {
  std::span<const Run> runs;
  std::span<const TimeRange> ranges;  // by run: all that is in view, now or where it glides to
  const Layout& layout;
  size_t first = 0, last = 0;  // items in sight
  bool settled = true;         // no gesture: tracks may shrink
  StickyItems sticky = {};     // in sight, too: they stay at the top
};

class DepthInView {
 public:
  static constexpr size_t kMaxDeepTracks = 256;  // up to so many are looked at out of sight, too

  // Of another arrangement: nothing is known of any track.
  void Reset(std::span<const LayoutItem> items);
  // True if the rows of a track changed; then the layout takes them (Layout::SetRows).
  bool Update(const DepthInput& input);
  std::span<const uint32_t> rows() const { return rows_; }

 private:
  bool UpdateItem(const DepthInput& input, uint32_t item);

  std::vector<uint32_t> rows_;   // by item
  std::vector<uint8_t> known_;   // by item: rows_ is of something that was in view
  std::vector<uint32_t> deep_;   // items of more than one row
  std::vector<TimeRange> done_;  // ranges of the last update, and what was in sight then
  size_t done_first_ = 0, done_last_ = 0;
  bool done_settled_ = false, fresh_ = true;
};

// Rows that the track needs for the events in the range: 1 at least.
uint32_t RowsFor(const TrackSet& set, const LayoutItem& item, TimeRange range);

}  // namespace stepscope
