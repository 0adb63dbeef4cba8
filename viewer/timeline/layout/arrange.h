// Arrange: the second of three stages of the layout. It turns the list of tracks into those that
// are drawn, in their order, each with its depth. It folds, hides, pins, orders and filters, sets
// heights, and leaves Python frames out. Rules go by name (viewer/core/state/track_rules.h); no
// pixels are known here. O(tracks); the path of a track is made only where a rule may name it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"
#include "viewer/timeline/layout/python_frames.h"
#include "viewer/timeline/layout/track_list.h"

namespace stepscope {

struct LayoutItem {
  LayoutItemKind kind = LayoutItemKind::kTrack;
  bool collapsed = false, collapsible = false;
  bool pinned = false;       // drawn above what is not pinned, with everything that it heads
  bool apart = false;        // pinned without its plane
  bool thin = false;         // a stripe of the lane of all ranks
  uint32_t color = 0;        // that the user gave it, 1 to kMarkerColors; 0: none
  std::string_view given{};  // the name that the user gave it; lives as long as the rules
  const RankTracks* rank = nullptr;  // drawn among the ranks at the top; lives as long as profiles
  uint32_t profile = 0, set = 0;
  HostId host{};
  PlaneId plane{};
  TrackId track{};
  uint32_t depth = 0;                               // track: rows that it has at most
  uint32_t rows = 0;                                // track: rows that are drawn, 1 to depth
  DerivedTrackKind lane = DerivedTrackKind::kNone;  // as in TrackEntry
  uint32_t lanes = 0;   // track: nested and spill lanes; instants follow
  uint32_t leads = 0;   // derived track: how many tracks are folded together with it
  uint32_t frames = 0;  // thread: how many outer frames its first rows, or its first row, show
  bool frames_in_one = false;           // `frames` are one row, which draws the innermost of them
  const WithoutPython* rest = nullptr;  // the track without its hidden Python frames
  // Whether it is the first track of its rank.
  bool BeginsRank() const { return rank != nullptr && rank->tracks.front() == track; }
  double y = 0;      // top in pixels from the top of the content; Layout sets it
  float height = 0;  // without the gap below
};

// Chooses derived tracks of a GPU (model/analysis/derived_tracks/device_tracks.h).
struct LaneChoice {
  bool use = true;       // idle and utilisation
  bool waiting = false;  // queue, launch delay and memory
  bool Shows(DerivedTrackKind lane) const;
  bool operator==(const LaneChoice&) const = default;
};

struct ArrangeInput {
  std::span<const Profile> profiles;
  std::span<const TrackEntry> list;    // ListTracks of the profiles
  std::span<const TrackRules> rules;   // by profile; empty or short: none
  std::span<const std::string> hosts;  // by profile, the only one shown; empty or short: all
  // By profile; null where there is nothing to hide. Empty: Python frames are shown. They must
  // outlive the items.
  std::span<const std::shared_ptr<const WithoutPython>> without_python;
  LaneChoice lanes = {};
  // The order of those tracks of a plane that no rule gives a place: as recorded, by name (numbers
  // by value), busiest first, or most events first. Derived tracks stay below them.
  TrackSort sort = TrackSort::kRecorded;
  std::span<const RankLayout> ranks = {};  // by profile; empty or short: with their hosts
};

// The derived tracks of a plane are folded together: the first of them then stands for all.
std::vector<LayoutItem> Arrange(const ArrangeInput& input);

// The text by which view.toggle_collapse folds the item, or its outer frames.
std::string FoldPathOf(const Profile& profile, const LayoutItem& item);
std::string FramesPathOf(const Profile& profile, const LayoutItem& item);

// The slice lanes that are drawn for a track: its own, or those without Python frames, from the
// one that row 0 shows.
std::span<const Lane> DrawnLanes(const TrackSet& set, const LayoutItem& item);
// The depth of the lane that the first row shows: 0, or that of the innermost outer frame.
inline uint32_t FirstDepth(const LayoutItem& item) {
  return item.frames_in_one ? item.frames - 1 : 0;
}
// The lane drawn in row `depth` of a track, or null.
const Lane* LaneAt(const TrackSet& set, const LayoutItem& item, uint32_t depth);
// The event at index `i` of a lane that is drawn for the item.
EventRow RowAt(const LayoutItem& item, const Lane& lane, uint32_t i);
// The row of the item in which an event of its track is drawn. Null if the event is hidden, or
// deeper than the rows that are drawn.
std::optional<uint32_t> DepthOf(const TrackSet& set, const LayoutItem& item, EventRow row);
// The instant lanes of a track.
std::span<const Lane> InstantLanes(const TrackSet& set, const LayoutItem& item);

}  // namespace stepscope
