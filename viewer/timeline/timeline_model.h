// TimelineModel: what the timeline shows, without a pixel drawn: ranges on their way to their
// targets, the layout, the draw plan, what is bright, the arrows of the selection; and what lies
// where. Knows no ImGui. Made once a frame by Update, which costs what DrawPlan does; the questions
// are O(log n). What has to change in the view is asked for by commands. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/flow_index.h"
#include "viewer/core/command.h"
#include "viewer/core/context.h"
#include "viewer/core/name_cache.h"
#include "viewer/timeline/depth_in_view.h"
#include "viewer/timeline/draw_plan.h"
#include "viewer/timeline/event_flows.h"
#include "viewer/timeline/geometry.h"
#include "viewer/timeline/glide.h"
#include "viewer/timeline/layout.h"
#include "viewer/timeline/minimap.h"
#include "viewer/timeline/minimap_marks.h"
#include "viewer/timeline/path_view.h"
#include "viewer/timeline/plan_area.h"
#include "viewer/timeline/timeline_highlight.h"

namespace stepscope {

// What a frame is made from.
struct TimelineFrame {
  std::span<const Run> runs;
  const ViewState& view;
  const Settings& settings;
  const SearchHits& hits;
  NameCache& names;
  JobThreads& jobs;
  uint64_t content_generation = 0;  // changes with runs and derived sets
  TimelineGeometry geometry;
  double seconds = 0;             // since the last frame
  bool animate = true;            // false: ranges jump
  bool direct = false;            // a drag moves the view: it follows at once
  bool gesture = false;           // the view is being moved: tracks do not shrink
  std::optional<float> anchor_y;  // of the screen; what lies here stays, else the topmost
  TimeRange path = {};            // of the active run: its critical path is shown; empty: none
  EventRef hovered = {};          // its arrows are shown, and others of its name light up
  // Of the other run, to the one that is selected.
  EventRef counterpart = {};
  // `runs` is one of several, each with rows and a scroll of its own; all_runs are all of them.
  // Empty: `runs` are all there are.
  std::span<const Run> all_runs = {};
  bool apart() const { return !all_runs.empty(); }
  std::span<const Run> All() const { return apart() ? all_runs : runs; }
  // The run that a command has to name where `runs` are not all; else none: it is the active one.
  TraceId OwnRun() const { return apart() ? runs.front().id : TraceId(); }
};

// What lies at a place.
struct TimelineHit {
  EventRef event;  // the event, or the longest of folded ones
  uint32_t run = 0, set = 0, item = 0, depth = 0;
  const Lane* lane = nullptr;  // valid in this frame
  uint32_t first = 0,
           last = 0;  // folded events of the pixel column: indices [first, last) in the lane
  bool valid() const { return lane != nullptr; }
  uint32_t count() const { return last - first; }
};

// What a counter has at a place.
struct CounterHit {
  uint32_t run = 0, set = 0, item = 0;
  Ps time = 0;  // of the run
  const CounterSeries* series = nullptr;
  CounterColumn values{};  // in the pixel
};

// What the folded events of a hit are: the sum of each name, the longest first. O(events), of the
// first 20,000.
struct HitSums {
  struct Name {
    uint32_t meta = 0, count = 0;
    Ps time = 0;
  };
  std::vector<Name> names;  // at most 256
  Ps total = 0;
  bool all = true;  // the hit has no more events than were summed
};
HitSums SumByName(const TimelineHit& hit);

class TimelineModel {
 public:
  void Update(const TimelineFrame& frame, CommandQueue* commands);

  bool moving() const { return moving_; }    // glides
  bool waiting() const { return waiting_; }  // for a job
  const TimelineGeometry& geometry() const { return geo_; }
  const Layout& layout() const { return layout_; }
  const DrawPlan& plan() const { return plan_; }
  const NameTints& tints() const { return tints_; }  // while runs are compared
  const Minimap& minimap() const { return minimap_; }
  const MinimapMarks& minimap_marks() const { return minimap_marks_; }
  uint32_t active() const { return active_; }  // index of the run that panels show
  const TimeAxis& axis() const { return axes_[active_]; }
  const TimeAxis& axis(uint32_t run) const { return axes_[run]; }
  TimeRange target() const { return glides_[active_].target(); }
  TimeRange displayed() const;  // of the active run
  double scroll() const { return scroll_; }
  double max_scroll() const;
  const StickyItems& sticky() const { return sticky_; }
  bool Sticks(size_t item) const;
  // The part of the rows that nothing lies over that stays at the top.
  Box rows_below_sticky() const;
  // What led to the selected event and what it led to; the same for the one under the mouse, unless
  // it is selected.
  const EventFlows& flows() const { return flows_; }
  const EventFlows& hovered_flows() const { return hovered_flows_; }
  const PathView& path() const { return path_; }  // of the active run
  const FlowStub* StubAt(float x, float y) const;
  // Slices that have the name of the one under the mouse, as far as they are drawn one by one.
  std::span<const PlanBox> same_name() const { return same_name_; }

  TimeRange ViewOf(TraceId run) const;  // displayed, in the run's time
  // Whether an event's track lies below a height of the screen; one that is folded away: its plane.
  bool Below(std::span<const Run> runs, const EventRef& event, float y) const;
  Ps TimeAt(float x) const;           // of the active run
  float XOf(Ps t) const;              // of the active run; clipped to the canvas and a margin
  float YOf(double content_y) const;  // of the screen
  double TopOf(size_t item) const;    // content pixels: where it is drawn
  size_t ItemAt(float y) const;       // of the layout; items().size() if none
  TimelineHit HitTest(std::span<const Run> runs, float x, float y) const;
  std::optional<CounterHit> CounterAt(std::span<const Run> runs, float x, float y) const;
  // The events of all rows that a box on the screen touches, up to `most`: of tracks in the order
  // in which they are drawn. O(rows of it · log n + events)
  std::vector<EventRef> EventsIn(std::span<const Run> runs, const Box& box, size_t most) const;
  Ps Snap(float x, float y) const;  // the nearest edge of an event close by, else TimeAt
  // Screen box of an event; nullopt where its track or row is not drawn.
  std::optional<EventPlace> Place(std::span<const Run> runs, const EventRef& event) const;
  // Of the rows, what a place is to be drawn in: others lie under what stays at the top.
  Box ClipOf(const EventPlace& place) const {
    return place.sticks ? geo_.rows : rows_below_sticky();
  }
  // The visible range in the minimap: left and right edge.
  std::pair<float, float> Brush() const;
  TimeAxis MinimapAxis() const;

 private:
  struct Anchor {
    LayoutItem item;
    double offset = 0;  // of the item's top from the top of the canvas
  };

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
  bool IsHidden(uint32_t run, const Lane& lane, const EventRef& event) const;
  void UpdateFlows(const TimelineFrame& frame);
  void UpdateSameName(const TimelineFrame& frame);
  void UpdateTints(const TimelineFrame& frame);
  void UpdatePath(const TimelineFrame& frame, CommandQueue* commands);

  TimelineGeometry geo_;
  uint32_t active_ = 0;
  std::vector<TimeAxis> axes_;
  std::vector<Glide> glides_;  // by run
  std::vector<TraceId> glide_ids_;
  bool moving_ = false, waiting_ = false;

  PythonHider python_;
  std::vector<TrackEntry> list_;
  LaneChoice lanes_;
  TrackSort sort_ = TrackSort::kRecorded;
  std::vector<TrackRules> rules_;   // by run
  std::vector<std::string> hosts_;  // by run, the only one shown
  std::string kept_rules_;
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
  EventRef counterpart_;   // that has been scrolled to
};

}  // namespace stepscope
