// TimelinePanel: the contents of the timeline's window. This folder shows what was recorded as
// rows over time; start reading here. A panel puts together a model of what is shown, an
// interaction that turns the mouse into commands, a painter and a menu. Profiles and the view go
// in; commands and a picture come out. UI thread only.
#pragma once

#include "viewer/core/commands/context.h"
#include "viewer/timeline/interaction/timeline_interaction.h"
#include "viewer/timeline/interaction/timeline_model.h"
#include "viewer/timeline/painting/timeline_painter.h"
#include "viewer/timeline/timeline_menu.h"

namespace stepscope {

class TimelinePanel {
 public:
  void Draw(const TimelineInput& input);
  // Call it once a frame, before Draw. Draw is not called while the window is hidden.
  void NewFrame() { drawn_ = false; }
  // A panel that is not drawn, because it is hidden or has no room, does not move.
  bool moving() const { return drawn_ && (model_.moving() || interaction_.settling()); }
  bool waiting() const { return drawn_ && (model_.waiting() || menu_.busy()); }  // for a job
  // True during a drag, which Escape takes back. Keys are no commands meanwhile.
  bool takes_keys() const { return drawn_ && interaction_.dragged().has_value(); }
  const TimelineFeedback& feedback() const { return feedback_; }
  const EventRef& lit() const { return interaction_.lit(); }  // under the mouse
  TimeRange displayed() const { return model_.displayed(); }  // of the active profile
  const Box& place() const { return model_.geometry().all; }  // on the screen
  float svg_top() const;  // top of its vector picture on the screen
  // Returns the panel as it was last drawn, as a vector picture. The text is empty if it was not
  // drawn in the last frame. `id`, `x`, `y`: as in ViewSvgInput.
  std::string Svg(const TimelineScene& scene, std::string_view id = {}, float x = 0,
                  float y = 0) const;

 private:
  TimelineFrame Frame(const TimelineInput& input) const;
  TimelineMouse ReadMouse(const TimelineGeometry& geometry) const;

  TimelineModel model_;
  TimelineInteraction interaction_;
  TimelineMenu menu_;
  HoverFacts facts_;
  TimelineFeedback feedback_;
  bool drawn_ = false;  // in this frame
};

}  // namespace stepscope
