// PathView: the critical path of a part of the active profile
// (model/analysis/steps/critical_path.h), and where its parts and the lines between them are
// drawn. A job finds it. Knows no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/analysis/steps/critical_path.h"
#include "model/ids.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/layout/geometry.h"

namespace stepscope {

// EventFlows: the arrows of one event as they are drawn. An arrow is a line if both ends are in
// sight, else a stub. Pure; knows no ImGui. UI thread only.

// Where an event is drawn, in pixels of the screen.
struct EventPlace : Box {
  bool sticks = false;  // in a row that stays at the top
};

// EventPlaces: where events are drawn in this frame. TimelineModel implements it; arrows and the
// critical path use it. UI thread only.
class EventPlaces {
 public:
  virtual ~EventPlaces() = default;
  virtual const TimelineGeometry& geometry() const = 0;
  virtual const TimeAxis& axis() const = 0;               // of the active profile
  virtual TimeRange ViewOf(ProfileId profile) const = 0;  // displayed, in the profile's time
  virtual Box ClipOf(
      const EventPlace& place) const = 0;  // the part of the screen that shows its row
  // Null if the event's row is not laid out. O(log n)
  virtual std::optional<EventPlace> FindPlace(std::span<const Profile> profiles,
                                              const EventRef& event) const = 0;
  // Whether an event's track lies below a height of the screen. A folded track lies where its plane
  // does.
  virtual bool Below(std::span<const Profile> profiles, const EventRef& event, float y) const = 0;
};

struct FlowLine {
  EventPlace from, to;
  FlowKind kind = FlowKind::kRecorded;
};

// Where an arrow begins and ends: it goes from the middle of the cause to the begin of its effect,
// but from end to end where an op awaits asynchronous work, since both end together. `inset`: how
// far from the edge of an event.
std::pair<float, float> ArrowEnds(const FlowLine& line, float inset);

// Arrows of an event to others that are out of sight, all in one direction.
struct FlowStub {
  Box box;             // on the screen; a click into it goes to `to`
  float x = 0, y = 0;  // where it begins, at the event
  int dx = 0, dy = 0;  // where the others lie: -1 is earlier, or above
  bool forward = false;
  FlowKind kind = FlowKind::kRecorded;
  EventRef of, to;      // the event, and the first of the others
  uint32_t others = 0;  // how many more arrows it stands for
};

class EventFlows {
 public:
  static constexpr size_t kMost = 64;  // arrows that are drawn of one event

  // Looks the arrows up if the event or the profile's flow index changed. Then it places them
  // where events are drawn now. O(kMost log n)
  void Update(std::span<const Profile> profiles, const EventRef& event, uint64_t content,
              const EventPlaces& places);
  std::span<const FlowArrow> arrows() const { return arrows_; }
  std::span<const FlowLine> lines() const { return lines_; }
  std::span<const FlowStub> stubs() const { return stubs_; }
  const FlowStub* StubAt(float x, float y) const;

 private:
  void LookUp(const Profile* profile);
  void AddStub(std::span<const Profile> profiles, const EventPlace& own, const FlowArrow& arrow,
               bool forward, const EventPlaces& places);

  EventRef event_;
  const FlowIndex* index_ = nullptr;
  uint64_t content_ = 0;
  std::vector<FlowArrow> arrows_;
  std::vector<FlowLine> lines_;
  std::vector<FlowStub> stubs_;
};

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
