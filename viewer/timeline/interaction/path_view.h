// PathView: the critical path of a part of the active profile
// (model/analysis/steps/critical_path.h), and where its parts and the lines between them are
// drawn. A job finds it. Knows no ImGui. UI thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/analysis/steps/critical_path.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/commands/command.h"
#include "viewer/timeline/interaction/event_flows.h"

namespace stepscope {

struct PathBox : EventPlace {
  PathPart::Kind kind = PathPart::Kind::kDevice;
};

struct PathLine {  // from the end of a part to the begin of the next one
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool sticks = false;
};

class PathView {
 public:
  static constexpr size_t kMostBoxes = 3000;  // drawn in one frame

  // Call it in each frame. `range` is in the profile's time; empty: no path. When the path is
  // found, commands select its events and show its text in the status bar. O(parts in sight * log
  // events)
  void Update(std::span<const Profile> profiles, const Profile& profile, TimeRange range,
              JobQueue& jobs, const EventPlaces& places, CommandQueue* commands);
  bool busy() const { return job_.active(); }
  const CriticalPath& path() const { return path_; }
  std::span<const PathBox> boxes() const { return boxes_; }
  std::span<const PathLine> lines() const { return lines_; }

 private:
  struct Question {
    ProfileId profile;
    std::shared_ptr<const FlowIndex> flows;
    TimeRange range;
    bool operator==(const Question&) const = default;
  };
  void Ask(const Profile& profile, TimeRange range, JobQueue& jobs, CommandQueue* commands);
  void Tell(const Trace& trace, CommandQueue* commands) const;
  void PlaceParts(std::span<const Profile> profiles, const Profile& profile,
                  const EventPlaces& places);
  void AddBox(const PathBox& box);

  LatestJob<CriticalPath> job_;
  Question asked_;
  CriticalPath path_;
  std::vector<PathBox> boxes_;
  std::vector<PathLine> lines_;
};

// Returns the events that the path goes through, by row. An event that lies on it with less than
// half of its time, such as a function around all others, is not lit: its part has a box. If no
// other is there, all are. O(parts log parts)
std::vector<EventRow> PathEvents(const CriticalPath& path, const Trace& trace);

// Returns "Critical path: 3.2 ms on GPU 0, 1.1 ms launches, 2 ms host; 0.3 ms are not recorded".
std::string PathText(const CriticalPath& path, const Trace& trace);

}  // namespace stepscope
