// TimelineModel: what the timeline shows, before a pixel is drawn. This folder holds what is
// shown and turns the mouse into commands; start reading here. The model owns animated ranges,
// the layout, the draw plan, highlighted events and the arrows of the selection, and it finds
// what lies at a place. Update makes it once a frame and costs what DrawPlan costs; questions are
// O(log n). It asks for changes of the view by commands. Knows no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/search/highlight.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/view_state.h"
#include "viewer/timeline/interaction/path_view.h"
#include "viewer/timeline/layout/geometry.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/layout/python_frames.h"
#include "viewer/timeline/slices/draw_plan.h"
#include "viewer/timeline/slices/minimap.h"
#include "viewer/timeline/slices/plan_area.h"

namespace stepscope {

// TimelineHighlight: the events that are drawn bright, by drawn row. A table's events come first,
// else the hits of the search. It is made again when they change, in O(n log n) for a table's
// events. Hits cost nothing, unless Python frames are hidden; then O(n).
class TimelineHighlight {
 public:
  // `stale`: the drawn rows changed, because other Python frames are hidden now.
  void Update(std::span<const Profile> profiles, const HighlightedEvents& shown,
              const SearchHits& hits, const PythonHider& python, bool stale);
  const Highlight& highlight() const { return highlight_; }

 private:
  void AddRowsWithoutPython(std::span<const Profile> profiles, const PythonHider& python);

  Highlight highlight_;
  bool first_ = true;
  uint64_t shown_ = 0;  // HighlightedEvents::version
  std::string query_;
  uint64_t count_ = 0, versions_ = 0;
};

// The inputs of a frame.
struct TimelineFrame {
  std::span<const Profile> profiles;
  const ViewState& view;
  const Settings& settings;
  const SearchHits& hits;
  NameCache& names;
  JobQueue& jobs;
  uint64_t content_generation = 0;  // changes with profiles and derived sets
  TimelineGeometry geometry;
  double seconds = 0;    // since the last frame
  bool animate = true;   // false: ranges jump
  bool direct = false;   // a drag moves the view, which follows at once
  bool gesture = false;  // the view is being moved; tracks do not shrink
  std::optional<float>
      anchor_y;  // screen height of the row that stays in place; without it the topmost row stays
  TimeRange path = {};    // whose critical path is shown, in the active profile; empty: none
  EventRef hovered = {};  // its arrows are shown, and others of its name light up
  // The event of the other profile that corresponds to the selected one.
  EventRef counterpart = {};
  // If profiles have rows of their own, `profiles` is one of them and `all_profiles` are all.
  // Empty: `profiles` are all.
  std::span<const Profile> all_profiles = {};
  bool minimap_of_all = true;  // else the minimap is of `profiles` alone
  bool apart() const { return !all_profiles.empty(); }
  std::span<const Profile> All() const { return apart() ? all_profiles : profiles; }
  // The profile that a command names if `profiles` are not all. Else none, which means the active
  // one.
  ProfileId OwnProfile() const { return apart() ? profiles.front().id : ProfileId(); }
};

// The item at a place on the screen.
struct TimelineHit {
  EventRef event;  // the event, or the longest of several folded ones
  uint32_t profile = 0, set = 0, item = 0, depth = 0;
  const Lane* lane = nullptr;  // valid in this frame
  // Folded events of the pixel column: indices [first, last) in the lane
  uint32_t first = 0, last = 0;
  bool valid() const { return lane != nullptr; }
  uint32_t count() const { return last - first; }
};

// The values of a counter at a place on the screen.
struct CounterHit {
  uint32_t profile = 0, set = 0, item = 0;
  Ps time = 0;       // in the profile's time
  TimeRange column;  // of the pixel column, from `time` on
  const CounterSeries* series = nullptr;
  CounterColumn values{};  // in the pixel column
};

// Sums of the folded events of a hit by name, the longest first. Only the first 20,000 events are
// summed. O(events)
struct HitSums {
  struct Name {
    uint32_t meta = 0, count = 0;
    Ps time = 0;
  };
  std::vector<Name> names;  // at most 256
  Ps total = 0;
  bool all = true;  // every event of the hit was summed
};
HitSums SumByName(const TimelineHit& hit);

class TimelineModel : public EventPlaces {
 public:
  void Update(const TimelineFrame& frame, CommandQueue* commands);

  bool moving() const { return moving_; }    // an animation runs
  bool waiting() const { return waiting_; }  // for a job
  const TimelineGeometry& geometry() const override { return geo_; }
  const Layout& layout() const { return layout_; }
  const DrawPlan& plan() const { return plan_; }
  const NameTints& tints() const { return tints_; }  // while profiles are compared
  const Minimap& minimap() const { return minimap_; }
  const MinimapMarks& minimap_marks() const { return minimap_marks_; }
  uint32_t active() const { return active_; }  // index of the profile that panels show
  const TimeAxis& axis() const override { return axes_[active_]; }
  const TimeAxis& axis(uint32_t profile) const { return axes_[profile]; }
  // Indices of the profiles whose steps lie in the strip, from top to bottom.
  std::vector<uint32_t> StepProfiles(std::span<const Profile> profiles,
                                     const ViewState& view) const;
  TimeRange target() const { return glides_[active_].target(); }
  TimeRange displayed() const;  // of the active profile
  double scroll() const { return scroll_; }
  double max_scroll() const;
  const StickyItems& sticky() const { return sticky_; }
  bool Sticks(size_t item) const;
  // The part of the rows that sticky items leave free.
  Box rows_below_sticky() const;
  // The arrows to and from the selected event, and those of the event under the mouse, unless it
  // is the selected one.
  const EventFlows& flows() const { return flows_; }
  const EventFlows& hovered_flows() const { return hovered_flows_; }
  const PathView& path() const { return path_; }  // of the active profile
  const FlowStub* StubAt(float x, float y) const;
  // Slices with the name of the slice under the mouse. Merged slices are left out.
  std::span<const PlanBox> same_name() const { return same_name_; }

  TimeRange ViewOf(ProfileId profile) const override;  // displayed, in the profile's time
  bool Below(std::span<const Profile> profiles, const EventRef& event, float y) const override;
  Ps TimeAt(float x) const;           // of the active profile
  float XOf(Ps t) const;              // of the active profile; clipped to the canvas and a margin
  float YOf(double content_y) const;  // of the screen
  double TopOf(size_t item) const;    // in content pixels: where the item is drawn
  // The place below the name of a thread that says how many outer frames it has, in screen pixels.
  // Empty if it has none, or no second row for it.
  Box FramesBoxOf(size_t item) const;
  size_t ItemAt(float y) const;  // index in the layout; items().size() if none
  TimelineHit HitTest(std::span<const Profile> profiles, float x, float y) const;
  std::optional<CounterHit> CounterAt(std::span<const Profile> profiles, float x, float y) const;
  // Returns up to `most` events of all rows that a box on the screen touches, in the order in
  // which tracks are drawn. O(rows * log n + events)
  std::vector<EventRef> EventsIn(std::span<const Profile> profiles, const Box& box,
                                 size_t most) const;
  Ps Snap(float x, float y) const;  // the nearest edge of an event close by, else TimeAt
  std::optional<EventPlace> FindPlace(std::span<const Profile> profiles,
                                      const EventRef& event) const override;
  // Rows that stay at the top cover the others.
  Box ClipOf(const EventPlace& place) const override {
    return place.sticks ? geo_.rows : rows_below_sticky();
  }
  // Left and right edge of the visible range in the minimap, in screen pixels.
  std::pair<float, float> Brush() const;
  TimeAxis MinimapAxis() const;

 private:
  struct Anchor {
    LayoutItem item;
    double offset = 0;  // from the top of the canvas to the item's top
  };

  void UpdateMinimap(const TimelineFrame& frame);
  double ScrollToPath(const TimelineFrame& frame, const std::string& path) const;
  void UpdateRanges(const TimelineFrame& frame);
  void UpdateLayout(const TimelineFrame& frame, CommandQueue* commands);
  void UpdateArrangement(const TimelineFrame& frame);
  void UpdateRules(const TimelineFrame& frame, bool* changed);
  void UpdateDepth(const TimelineFrame& frame);
  StickyItems StickyAt(double scroll) const;
  std::optional<Anchor> TakeAnchor(const TimelineFrame& frame) const;
  double ScrollFor(const Anchor& anchor) const;
  double StoredScroll(const TimelineFrame& frame) const;
  void BuildPlan(const TimelineFrame& frame);
  void ScrollToSelection(const TimelineFrame& frame, CommandQueue* commands);
  bool ScrollTo(const TimelineFrame& frame, const EventRef& event, CommandQueue* commands) const;
  void ScrollToCounterpart(const TimelineFrame& frame, CommandQueue* commands);
  const PlanRow* RowUnder(float y) const;  // null where nothing is drawn
  void SnapToRow(const PlanRow& row, Ps t, Ps* distance, Ps* best) const;
  bool IsHidden(uint32_t profile, const Lane& lane, const EventRef& event) const;
  void UpdateFlows(const TimelineFrame& frame);
  void UpdateSameName(const TimelineFrame& frame);
  void UpdateTints(const TimelineFrame& frame);
  void UpdatePath(const TimelineFrame& frame, CommandQueue* commands);

  TimelineGeometry geo_;
  uint32_t active_ = 0;
  std::vector<TimeAxis> axes_;
  std::vector<RangeAnimation> glides_;  // by profile
  std::vector<ProfileId> glide_ids_;
  bool moving_ = false, waiting_ = false;

  PythonHider python_;
  std::vector<TrackEntry> list_;
  LaneChoice lanes_;
  TrackSort sort_ = TrackSort::kRecorded;
  std::vector<TrackRules> rules_;         // by profile
  std::vector<std::string> hosts_;        // by profile, the only one shown
  bool ranks_moved_ = false;              // since the layout was last placed
  bool tracks_moved_ = false;             // the same, by the user
  std::vector<std::string> shown_again_;  // paths that were hidden until now
  std::vector<RankLayout> rank_layouts_;  // by profile
  std::vector<std::shared_ptr<const std::vector<RankTracks>>> ranks_;  // by profile; items view it
  TrackRules kept_;
  Layout layout_;
  DepthInView depth_;
  uint64_t content_ = 0;
  uint32_t python_changes_ = 0;
  double scroll_ = 0;
  StickyItems sticky_;

  TimelineHighlight highlight_;
  NameTints tints_;
  uint32_t tint_changes_ = 0;
  DrawPlan plan_;
  Minimap minimap_;
  MinimapMarks minimap_marks_;
  EventFlows flows_, hovered_flows_;
  PathView path_;
  std::vector<PlanBox> same_name_;
  uint64_t revealed_ = 0;  // ViewState::reveals that have been scrolled to
  EventRef counterpart_;   // the one that was scrolled to
};

}  // namespace stepscope
