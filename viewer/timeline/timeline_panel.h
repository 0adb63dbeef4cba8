// TimelinePanel: the timeline's window contents, put together: a model of what is shown, an
// interaction that turns the mouse into commands, a painter, a menu. UI thread only.
#pragma once

#include "viewer/core/context.h"
#include "viewer/timeline/timeline_interaction.h"
#include "viewer/timeline/timeline_menu.h"
#include "viewer/timeline/timeline_model.h"
#include "viewer/timeline/timeline_painter.h"

namespace stepscope {

class TimelinePanel {
 public:
  void Draw(const TimelineInput& input);
  // Once a frame, before Draw, which is not called while the window is hidden.
  void NewFrame() { drawn_ = false; }
  // What is not drawn, for want of room or because it is hidden, does not move.
  bool moving() const { return drawn_ && (model_.moving() || interaction_.settling()); }
  bool waiting() const { return drawn_ && (model_.waiting() || menu_.busy()); }  // for a job
  // A drag that Escape takes back: keys are not commands meanwhile.
  bool takes_keys() const { return drawn_ && interaction_.dragged().has_value(); }
  const TimelineFeedback& feedback() const { return feedback_; }
  const EventRef& lit() const { return interaction_.lit(); }  // under the mouse
  TimeRange displayed() const { return model_.displayed(); }  // of the active run
  const Box& place() const { return model_.geometry().all; }  // on the screen
  float svg_top() const;  // of its vector picture, on the screen
  // As it was last drawn, as a vector picture; empty where it was not drawn in the last frame.
  // `id`, `x`, `y`: as in ViewSvgInput.
  std::string Svg(std::span<const Run> runs, const ViewState& view, const NameCache& names,
                  std::string_view id = {}, float x = 0, float y = 0) const;

 private:
  TimelineFrame Frame(const TimelineInput& input) const;
  TimelineMouse ReadMouse(const TimelineGeometry& geometry) const;

  TimelineModel model_;
  TimelineInteraction interaction_;
  TimelineMenu menu_;
  TimelineFeedback feedback_;
  bool drawn_ = false;  // in this frame
};

}  // namespace stepscope
