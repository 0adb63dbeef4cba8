// TimelinePanel: the timeline's window contents. Reads the view, draws it, and turns input into
// commands; owns the displayed range (which glides towards the view's target), the layout and the
// draw plan. UI thread only.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "viewer/core/context.h"
#include "viewer/core/name_cache.h"
#include "viewer/core/panel.h"
#include "viewer/timeline/draw_plan.h"
#include "viewer/timeline/glide.h"
#include "viewer/timeline/minimap.h"
#include "viewer/timeline/ruler.h"
#include "viewer/widgets/draw.h"

namespace stepscope {

struct TimelineInput {
  const PanelContext& panel;
  std::span<const TimelineRun> runs;
  const Search& search;
  NameCache& names;
  const Fonts& fonts;
  TexelSink& sink;
  uint64_t content_generation = 0;  // changes with runs and derived sets
  bool animate = true;
};

// What lies under the mouse.
struct TimelineHit {
  EventRef event;  // the event, or the longest of folded ones
  uint32_t run = 0, set = 0, item = 0, depth = 0;
  const Lane* lane = nullptr;  // valid in this frame
  uint32_t first = 0,
           last = 0;  // folded events of the pixel column: indices [first, last) in the lane
  bool valid() const { return lane != nullptr; }
  uint32_t count() const { return last - first; }
};

class TimelinePanel {
 public:
  void Draw(const TimelineInput& input);
  bool animating() const { return animating_; }
  const TimelineFeedback& feedback() const { return feedback_; }
  const DrawPlan& plan() const { return plan_; }
  const Layout& layout() const { return layout_; }
  TimeRange displayed() const;  // of the active run
  const TimelineHit& hovered() const { return hit_; }

 private:
  struct Box {
    float x = 0, y = 0, w = 0, h = 0;
    bool Has(float px, float py) const { return px >= x && px < x + w && py >= y && py < y + h; }
  };
  struct Geometry {
    Box minimap, ruler, strip, labels, rows, scrollbar, all;
    float unit = 1;
  };
  enum class Drag {
    kNone,
    kPan,
    kZoom,
    kMeasure,
    kMinimap,
    kMinimapBegin,
    kMinimapEnd,
    kScrollbar,
    kLabelWidth
  };

  // timeline_panel.cc: the frame
  void Measure(const TimelineInput& input);
  void UpdateRanges(const TimelineInput& input);
  void UpdateLayout(const TimelineInput& input);
  void UpdatePythonFrames(const TimelineInput& input);
  bool IsHidden(uint32_t run, const Lane& lane, const EventRef& event) const;
  void UpdateHighlight(const TimelineInput& input);
  void HighlightEvents(const TimelineInput& input);
  void AddRowsWithoutPython(const TimelineInput& input);
  void BuildPlan(const TimelineInput& input);
  void ScrollToSelection(const TimelineInput& input);
  void UpdateFlows(const TimelineInput& input);
  double Scroll(const TimelineInput& input) const;
  uint32_t ActiveIndex(const TimelineInput& input) const;
  const TimeAxis& ActiveAxis() const { return axes_[active_]; }

  // timeline_input.cc: mouse to commands
  void HandleInput(const TimelineInput& input);
  void HandleWheel(const TimelineInput& input);
  void BeginDrag(const TimelineInput& input);
  void ContinueDrag(const TimelineInput& input);
  void EndDrag(const TimelineInput& input);
  void Click(const TimelineInput& input);
  static std::string ItemPath(const TimelineInput& input, const LayoutItem& item);
  TimelineHit HitTest(const TimelineInput& input, float x, float y) const;
  Ps Snap(const TimelineInput& input, float x, float y) const;
  Ps TimeAt(float x) const;  // screen x to time of the active run

  // timeline_menu.cc: what a right click offers
  void OpenMenu(const TimelineInput& input);
  void DrawMenu(const TimelineInput& input);
  void DrawEventMenu(const TimelineInput& input);
  void DrawTrackMenu(const TimelineInput& input) const;

  // timeline_draw.cc: what is drawn
  void DrawRuler(const TimelineInput& input, const Pen& pen);
  void DrawTools(const TimelineInput& input, const Pen& pen);
  void DrawSteps(const TimelineInput& input, const Pen& pen);
  void DrawRows(const TimelineInput& input, const Pen& pen);
  void DrawHeading(const TimelineInput& input, const Pen& pen, const LayoutItem& item,
                   uint32_t index, float y);
  void DrawTrackLabel(const TimelineInput& input, const Pen& pen, const LayoutItem& item, float y);
  void DrawLabels(const TimelineInput& input, const Pen& pen);

  // timeline_overlay.cc: on top of the rows
  void DrawMeasure(const TimelineInput& input, const Pen& pen);
  void DrawSelection(const TimelineInput& input, const Pen& pen);
  void DrawFlows(const TimelineInput& input, const Pen& pen);
  void DrawCursor(const TimelineInput& input, const Pen& pen);
  void DrawTooltip(const TimelineInput& input);
  void DrawLabelTooltip(const TimelineInput& input);
  bool Place(const TimelineInput& input, const EventRef& event,
             Box* out) const;  // screen box of an event

  Geometry geo_;
  std::vector<TimeAxis> axes_;
  std::vector<Glide> glides_;  // by run
  std::vector<TraceId> glide_ids_;
  uint32_t active_ = 0;
  Layout layout_;
  uint64_t layout_content_ = 0;
  std::vector<std::set<std::string>> layout_collapsed_;
  std::vector<std::string> layout_hosts_;
  // Of runs whose Python frames are hidden; both empty while frames are shown.
  std::vector<std::shared_ptr<const WithoutPython>> without_python_;
  std::vector<std::shared_ptr<const Trace>> python_traces_;
  bool show_python_ = true, highlight_stale_ = false;
  uint64_t python_content_ = 0;
  uint32_t python_changes_ = 0;
  float layout_unit_ = 0, layout_row_ = 0;
  DrawPlan plan_;
  Minimap minimap_;
  Highlight highlight_;
  uint64_t highlighted_ = 0;  // ShownEvents::version
  std::string highlight_query_;
  uint64_t highlight_count_ = 0, highlight_versions_ = 0;
  TimelineFeedback feedback_;
  TimelineHit hit_;
  EventRef menu_event_;    // invalid: the menu is that of a track or plane
  std::string menu_path_;  // its path, as in RunState::collapsed
  TraceId menu_run_;
  EventRef flows_of_;
  std::vector<uint32_t> flows_;  // indices of Trace::flows that touch the selection
  Drag drag_ = Drag::kNone;
  bool pressed_ = false, moved_ = false, animating_ = false;
  float press_x_ = 0, press_y_ = 0, last_x_ = 0, last_y_ = 0;
  TimeRange press_range_;
  Ps press_time_ = 0;
  double press_scroll_ = 0;
  uint64_t revealed_ = 0;  // ViewState::reveals that have been scrolled to
};

}  // namespace stepscope
