// TimelineInteraction: turns mouse and wheel into commands. It knows no ImGui: the caller, or a
// test, tells it what the mouse did. It keeps what lasts longer than a frame: the drag, and what
// is under the mouse. UI thread only.
#pragma once

#include <optional>
#include <string>

#include "viewer/timeline/interaction/timeline_model.h"
#include "viewer/timeline/layout/track_drag.h"

namespace stepscope {

// The mouse in this frame. The canvas is the timeline without the tool buttons.
struct TimelineMouse {
  float x = 0, y = 0;
  bool over = false;     // the mouse points at the canvas
  bool pressed = false;  // a button went down on the canvas
  bool held = false;     // and has not come up yet
  bool middle = false;   // the pressed button is the middle one
  bool right = false;    // the pressed button is the right one
  bool double_clicked = false;
  bool right_clicked = false;  // the right button went up without a drag
  float wheel = 0, sideways = 0;
  bool shift = false, ctrl = false, alt = false;  // alt: edges do not snap
  bool cancel = false;                            // Escape
};

enum class Drag {
  kNone,
  kPan,
  kZoom,
  kMeasure,
  kBox,           // marks events on several rows
  kMinimap,       // moves the brush
  kMinimapBegin,  // moves its left edge
  kMinimapEnd,
  kMinimapRange,  // draws another one
  kScrollbar,
  kLabelWidth,
  kTrack  // moves a track or plane among its neighbours
};

// A right click hits one of these: an event, or a track or plane by its path.
struct TimelineMenuTarget {
  EventRef event;
  std::string path;
  ProfileId profile;
  std::string folds = {};   // what view.toggle_collapse takes to fold it; empty: it cannot
  std::string frames = {};  // the same for its outer frames
};

class TimelineInteraction {
 public:
  // `font_size` is in pixels. The width of track names is kept in multiples of it.
  void Update(const TimelineFrame& frame, const TimelineModel& model, const TimelineMouse& mouse,
              float font_size, CommandQueue* commands);

  Drag drag() const { return drag_; }
  bool pressed() const { return pressed_; }
  const TimelineHit& hovered() const { return hit_; }  // valid in this frame
  // The event that stays lit while the mouse is on it or on one of its stubs. Folded events are
  // never lit.
  const EventRef& lit() const { return lit_; }
  const FlowStub* stub() const { return stub_; }        // under the mouse; valid in this frame
  std::optional<Ps> cursor() const { return cursor_; }  // the time under the mouse
  std::optional<std::pair<float, float>> zoom_marks() const;  // the range that the zoom tool marks
  std::optional<Box> box() const;                             // the box that selects events
  std::optional<TimelineMenuTarget> TakeMenu();               // the menu asked for in this frame
  std::optional<size_t> dragged() const;  // the item that is dragged by its name
  // Where the dragged item lands if it is released now. Null: where it is.
  const std::optional<TrackLanding>& landing() const { return landing_; }
  bool resizes() const { return resizes_; }  // the mouse is at an edge that can be dragged
  bool direct() const;                       // the drag moves the view, which follows at once
  bool gesture() const;                      // the view is being moved, or was a moment ago
  bool settling() const {
    return settling_;
  }  // another frame is needed, because a gesture ends now

 private:
  struct Input {  // the arguments of one Update
    const TimelineFrame& frame;
    const TimelineModel& model;
    const TimelineMouse& mouse;
    float font_size;
    CommandQueue& commands;
  };
  void Wheel(const Input& in);
  void Press(const Input& in);
  void Begin(const Input& in);
  void PressMinimap(const Input& in);
  void Move(const Input& in);
  void MoveMinimap(const Input& in);
  bool BeginTrack(const Input& in);
  void MoveTrack(const Input& in);
  void DropTrack(const Input& in) const;
  void Release(const Input& in);
  void SelectBox(const Input& in, bool done) const;
  std::optional<Ps> OtherEdge(const Input& in) const;
  void Click(const Input& in);
  void Activate(const Input& in, uint32_t profile) const;
  void ClickStep(const Input& in) const;
  void RightClick(const Input& in);
  void Hover(const Input& in);

  Drag drag_ = Drag::kNone;
  bool pressed_ = false, moved_ = false, resizes_ = false, right_ = false;
  float press_x_ = 0, press_y_ = 0, last_x_ = 0, last_y_ = 0;
  TimeRange press_range_;
  Ps press_time_ = 0;
  double press_scroll_ = 0;
  size_t dragged_ = 0;
  LayoutItem dragged_item_;
  std::optional<TrackLanding> landing_;
  bool settling_ = false;
  double quiet_in_ = 0;  // seconds until the turn of the wheel counts as over
  TimelineHit hit_;
  const FlowStub* stub_ = nullptr;
  EventRef lit_;
  std::optional<Ps> cursor_;
  std::optional<TimelineMenuTarget> menu_;
};

}  // namespace stepscope
