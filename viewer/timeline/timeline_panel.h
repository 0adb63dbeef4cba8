// TimelinePanel: the contents of the timeline's window. This folder shows what was recorded as
// rows over time; start reading here. A panel puts together a model of what is shown, an
// interaction that turns the mouse into commands, a painter and a menu. Profiles and the view go
// in; commands and a picture come out. UI thread only.
#pragma once

#include <optional>

#include "model/jobs/latest_job.h"
#include "viewer/core/commands/context.h"
#include "viewer/timeline/interaction/timeline_interaction.h"
#include "viewer/timeline/interaction/timeline_model.h"
#include "viewer/timeline/painting/timeline_painter.h"

namespace stepscope {

// TimelineMenu: the right-click menu of the timeline, with what can be done with an event, a
// track or a plane. Every entry is a row of the table of commands, so that its text and key are
// the same everywhere. UI thread only.
class TimelineMenu {
 public:
  // `asked` opens the menu for a target. Without it the menu stays as it is.
  void Draw(const TimelineInput& input, std::optional<TimelineMenuTarget> asked);
  bool busy() const { return same_name_.active(); }  // a result will be shown

 private:
  void DrawEvent(const TimelineInput& input);
  void DrawTrack(const TimelineInput& input);
  void DrawName(const TimelineInput& input, const std::string& given);
  void DrawColors(const TimelineInput& input, uint32_t color) const;
  void DrawHeights(const TimelineInput& input, CommandArgs path) const;
  void FindSameName(const TimelineInput& input, const Profile& profile);
  void ShowSameName(const TimelineInput& input);

  TimelineMenuTarget target_;
  std::string name_, name_path_;      // what is typed, and for which track
  LatestJob<CommandArgs> same_name_;  // arguments of "select.show_events"
};

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
