// Arrange: the second of three stages of the layout. From the list of tracks to those that are
// drawn, in their order, with the depth each has: fold, hide, pin, order, filter, height, and
// Python frames left out. Rules go by name (track_rules.h); no pixels. O(tracks), and the path of a
// track is made only where a rule may mean it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/track_rules.h"
#include "viewer/timeline/python_frames.h"
#include "viewer/timeline/track_list.h"

namespace stepscope {

struct LayoutItem {
  ItemKind kind = ItemKind::kTrack;
  bool collapsed = false, collapsible = false;
  bool pinned = false;  // above what is not, with all that it heads
  bool apart = false;   // pinned without its plane
  uint32_t run = 0, set = 0;
  HostId host{};
  PlaneId plane{};
  TrackId track{};
  uint32_t depth = 0;                   // of a track: rows that it has at most
  uint32_t rows = 0;                    // of a track: rows that are drawn, 1 to depth
  DeviceLane lane = DeviceLane::kNone;  // as in TrackEntry
  uint32_t lanes = 0;                   // of a track: nested and spill lanes; instants follow
  const WithoutPython* rest = nullptr;  // of a track whose Python frames are hidden: what is drawn
  double y = 0;                         // set by Layout: top, from the top of the content
  float height = 0;                     // without the gap below
};

// Which lanes of GPUs (model/analysis/device_lanes.h) are shown.
struct LaneChoice {
  bool use = true;       // idle and utilisation
  bool waiting = false;  // queue, launch delay and memory
  bool Shows(DeviceLane lane) const;
  bool operator==(const LaneChoice&) const = default;
};

// How the tracks of a plane lie that no rule gives a place: as they are recorded, by their names
// (numbers by value), or the busiest or fullest first. Lanes of GPUs stay above them.
enum class TrackSort { kRecorded, kName, kBusy, kEvents };
// By the words of the setting "timeline.track_sort"; kRecorded for any others.
TrackSort TrackSortFromName(std::string_view name);

struct ArrangeInput {
  std::span<const Run> runs;
  std::span<const TrackEntry> list;    // ListTracks of the runs
  std::span<const TrackRules> rules;   // by run; empty or short: none
  std::span<const std::string> hosts;  // by run, the only one shown; empty or short: all
  // By run, null where there is nothing to hide; empty: Python frames are shown. Must outlive the
  // items.
  std::span<const std::shared_ptr<const WithoutPython>> without_python;
  LaneChoice lanes = {};
  TrackSort sort = TrackSort::kRecorded;
};

std::vector<LayoutItem> Arrange(const ArrangeInput& input);

// The slice lanes that are drawn for a track item: its own, or those without Python frames.
std::span<const Lane> DrawnLanes(const TrackSet& set, const LayoutItem& item);
// The lane drawn at `depth` of a track item, or null.
const Lane* LaneAt(const TrackSet& set, const LayoutItem& item, uint32_t depth);
// The event at index i of a lane that is drawn for the item.
EventRow RowAt(const LayoutItem& item, const Lane& lane, uint32_t i);
// The row of the item in which an event of its track is drawn; nullopt: hidden, or deeper than the
// rows that are drawn.
std::optional<uint32_t> DepthOf(const TrackSet& set, const LayoutItem& item, EventRow row);
// The instant lanes of a track.
std::span<const Lane> InstantLanes(const TrackSet& set, const LayoutItem& item);

}  // namespace stepscope
