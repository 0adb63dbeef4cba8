// DepthInView: how many rows each track needs for what is in view. The deepest lane with an event
// in view decides. A track grows at once. It shrinks only when the gesture that moved the view
// has ended, so that nothing jumps meanwhile. Pure. A frame in which nothing moved costs nothing;
// any other O(rows of the tracks looked at * log n). All tracks are looked at where few are deep,
// else those in sight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "viewer/timeline/layout/layout.h"

namespace stepscope {

struct DepthInput {
  std::span<const Profile> profiles;
  std::span<const TimeRange>
      ranges;  // by profile: everything in view now or at the end of the animation
  const Layout& layout;
  size_t first = 0, last = 0;  // items in sight
  bool settled = true;         // no gesture: tracks may shrink
  StickyItems sticky = {};     // items that stay at the top are in sight too
};

class DepthInView {
 public:
  // Up to this many, tracks out of sight are looked at too
  static constexpr size_t kMaxDeepTracks = 256;

  // Starts with another arrangement, in which nothing is known of any track.
  void Reset(std::span<const LayoutItem> items);
  // Returns true if the rows of a track changed. The caller then gives them to Layout::SetRows.
  bool Update(const DepthInput& input);
  std::span<const uint32_t> rows() const { return rows_; }

 private:
  bool UpdateItem(const DepthInput& input, uint32_t item);

  std::vector<uint32_t> rows_;   // by item
  std::vector<uint8_t> known_;   // by item: rows_ is known, because the item was in view
  std::vector<uint32_t> deep_;   // items of more than one row
  std::vector<TimeRange> done_;  // ranges of the last update, and what was in sight then
  size_t done_first_ = 0, done_last_ = 0;
  bool done_settled_ = false, fresh_ = true;
};

// Returns the rows that the track needs for the events in the range, at least 1.
uint32_t RowsFor(const TrackSet& set, const LayoutItem& item, TimeRange range);

}  // namespace stepscope
