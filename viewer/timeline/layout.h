// Layout: which tracks are drawn, in what order and at what height. Built once per change (runs,
// collapse, filter, sizes), O(tracks); a frame asks for the visible part by binary search. Heights
// are doubles in pixels: ten thousand tracks of a thousand rows pass the exact range of float.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/trace.h"
#include "viewer/core/run.h"
#include "viewer/timeline/python_frames.h"

namespace stepscope {

struct LayoutSizes {  // pixels, whole numbers
  float row = 19;     // slice and gap
  float gap = 1;
  float heading = 22;
  float track_gap = 2;
  float counter = 40;
};

enum class ItemKind : uint8_t { kRunHeading, kHostHeading, kPlaneHeading, kTrack, kCounter };

struct LayoutItem {
  ItemKind kind = ItemKind::kTrack;
  uint32_t run = 0, set = 0;
  HostId host{};
  PlaneId plane{};
  TrackId track{};
  uint32_t rows = 0;                    // of a track: depths drawn
  uint32_t lanes = 0;                   // of a track: nested and spill lanes; instants follow
  const WithoutPython* rest = nullptr;  // of a track whose Python frames are hidden: what is drawn
  bool collapsed = false;
  bool collapsible = false;
  double y = 0;      // top, from the top of the content
  float height = 0;  // without the gap below
};

struct LayoutInput {
  std::span<const TimelineRun> runs;
  std::span<const std::set<std::string>* const> collapsed;  // by run; paths as PathOf gives them
  std::span<const std::string> hosts = {};  // by run, the only one shown; empty: all
  LayoutSizes sizes;
  // By run, null where there is nothing to hide; empty: Python frames are shown. Must outlive the
  // layout.
  std::span<const std::shared_ptr<const WithoutPython>> without_python = {};
};

class Layout {
 public:
  void Build(const LayoutInput& input);
  std::span<const LayoutItem> items() const { return items_; }
  double height() const { return height_; }
  const LayoutSizes& sizes() const { return sizes_; }
  // Index of the item at content height y (the gap below belongs to it); items().size() if none.
  // O(log items).
  size_t At(double y) const;
  // Items [first, second) that touch [top, bottom).
  std::pair<size_t, size_t> Visible(double top, double bottom) const;
  // The item of an event's track, or npos (collapsed planes are not laid out). O(1).
  size_t Find(uint32_t run, uint32_t set, TrackId track) const;
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  void AddRun(const LayoutInput& input, uint32_t run);
  void AddPlane(const LayoutInput& input, uint32_t run, PlaneId plane);
  void AddTrack(const LayoutInput& input, uint32_t run, uint32_t set, TrackId track);
  void Push(LayoutItem item, float gap);
  void BuildIndex(const LayoutInput& input);

  std::vector<LayoutItem> items_;
  std::vector<std::vector<std::vector<TrackId>>> derived_;  // by set, by plane, while building
  std::vector<std::vector<std::vector<uint32_t>>> index_;   // by run, set, track: item + 1
  LayoutSizes sizes_;
  double height_ = 0;
};

// Planes that begin folded: those that hold next to nothing beside others (PyTorch's "Spans" and
// "Traces" have one event each). By PlanePath.
std::set<std::string> FoldedAtFirst(const Trace& trace);

// The lane drawn at `depth` of a track item, or null.
const Lane* LaneAt(const TrackSet& set, const LayoutItem& item, uint32_t depth);
// The event at index i of a lane that is drawn for the item.
EventRow RowAt(const LayoutItem& item, const Lane& lane, uint32_t i);
// The depth at which an event of the item's track is drawn; nullopt: hidden.
std::optional<uint32_t> DepthOf(const TrackSet& set, const LayoutItem& item, EventRow row);
// The instant lanes of a track.
std::span<const Lane> InstantLanes(const TrackSet& set, const LayoutItem& item);

}  // namespace stepscope
