// The right-click menu of the timeline: what can be done with an event, or with a track or plane.
// Every entry is a command of the table, so that it reads and has the key as everywhere else.
#pragma once

#include <optional>

#include "model/base/latest_job.h"
#include "viewer/timeline/timeline_interaction.h"
#include "viewer/timeline/timeline_painter.h"

namespace stepscope {

class TimelineMenu {
 public:
  // `asked`: opens it for that; else it stays as it is.
  void Draw(const TimelineInput& input, std::optional<TimelineMenuTarget> asked);
  bool busy() const { return same_name_.active(); }  // a result is to be shown

 private:
  void DrawEvent(const TimelineInput& input);
  void DrawTrack(const TimelineInput& input) const;
  void DrawHeights(const TimelineInput& input, CommandArgs path) const;
  void FindSameName(const TimelineInput& input, const Run& run);
  void ShowSameName(const TimelineInput& input);

  TimelineMenuTarget target_;
  LatestJob<CommandArgs> same_name_;  // of "select.show_events"
};

}  // namespace stepscope
