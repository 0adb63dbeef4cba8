// TimelineMenu: the right-click menu of the timeline, with what can be done with an event, a
// track or a plane. Every entry is a row of the table of commands, so that its text and key are
// the same everywhere. UI thread only.
#pragma once

#include <optional>

#include "model/jobs/latest_job.h"
#include "viewer/timeline/interaction/timeline_interaction.h"
#include "viewer/timeline/painting/timeline_painter.h"

namespace stepscope {

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

}  // namespace stepscope
