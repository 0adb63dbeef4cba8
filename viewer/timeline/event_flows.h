// EventFlows: the arrows of one event as they are drawn: lines where both ends are in sight, and
// stubs where one end is not. Pure; knows no ImGui. UI thread only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/flow_index.h"
#include "viewer/timeline/geometry.h"
#include "viewer/timeline/layout.h"

namespace stepscope {

class TimelineModel;

// Where an event is drawn.
struct EventPlace : Box {
  bool sticks = false;  // in a row that stays at the top
};

struct FlowLine {
  EventPlace from, to;
  FlowKind kind = FlowKind::kRecorded;
};

// Arrows of an event to others that are out of sight, all in one direction.
struct FlowStub {
  Box box;             // of the screen: a click into it goes to `to`
  float x = 0, y = 0;  // at the event, where it begins
  int dx = 0, dy = 0;  // where the others lie: -1 is earlier, or above
  bool forward = false;
  FlowKind kind = FlowKind::kRecorded;
  EventRef of, to;      // the event, and the first of the others
  uint32_t others = 0;  // beside this one
};

class EventFlows {
 public:
  static constexpr size_t kMost = 64;  // arrows that are drawn of one event

  // Looks its arrows up where the event, or what is known of the run's arrows, has changed, and
  // puts them where things are drawn now. O(kMost log n)
  void Update(std::span<const Run> runs, const EventRef& event, uint64_t content,
              const TimelineModel& model);
  std::span<const FlowArrow> arrows() const { return arrows_; }
  std::span<const FlowLine> lines() const { return lines_; }
  std::span<const FlowStub> stubs() const { return stubs_; }
  const FlowStub* StubAt(float x, float y) const;

 private:
  void LookUp(const Run* run);
  void AddStub(std::span<const Run> runs, const EventPlace& own, const FlowArrow& arrow,
               bool forward, const TimelineModel& model);

  EventRef event_;
  const FlowIndex* index_ = nullptr;
  uint64_t content_ = 0;
  std::vector<FlowArrow> arrows_;
  std::vector<FlowLine> lines_;
  std::vector<FlowStub> stubs_;
};

}  // namespace stepscope
