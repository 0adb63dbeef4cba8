// PathView: the critical path (model/analysis/critical_path.h) of a part of the active run, found
// in the background, and where its parts and the lines between them are drawn. Knows no ImGui. UI
// thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/analysis/critical_path.h"
#include "model/base/latest_job.h"
#include "viewer/core/command.h"
#include "viewer/timeline/event_flows.h"

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

  // Each frame: `range` in the run's time, empty: no path. A path that was found selects its events
  // and is said, by commands. O(parts in sight * log events)
  void Update(std::span<const Run> runs, const Run& run, TimeRange range, JobThreads& jobs,
              const TimelineModel& model, CommandQueue* commands);
  bool busy() const { return job_.active(); }
  const CriticalPath& path() const { return path_; }
  std::span<const PathBox> boxes() const { return boxes_; }
  std::span<const PathLine> lines() const { return lines_; }

 private:
  struct Question {
    TraceId run;
    std::shared_ptr<const FlowIndex> flows;
    TimeRange range;
    bool operator==(const Question&) const = default;
  };
  void Ask(const Run& run, TimeRange range, JobThreads& jobs, CommandQueue* commands);
  void Tell(CommandQueue* commands) const;
  void PlaceParts(std::span<const Run> runs, const Run& run, const TimelineModel& model);
  void Add(const PathBox& box);

  LatestJob<CriticalPath> job_;
  Question asked_;
  CriticalPath path_;
  std::vector<PathBox> boxes_;
  std::vector<PathLine> lines_;
};

// "Critical path: 3.2 ms on GPU 0, 1.1 ms launches, 2 ms host; 0.3 ms are not recorded"
std::string PathText(const CriticalPath& path, const Trace& trace);

}  // namespace stepscope
