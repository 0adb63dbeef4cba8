#include "model/analysis/tpu/core_events.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

CoreEvent EventOf(const StatTable& stats, const Lane& lane, uint32_t i) {
  const EventRow row(lane.first_row + i);
  const auto offset = stats.Int(IntStat::kDeviceOffset).Find(row);
  const auto duration = stats.Int(IntStat::kDeviceDuration).Find(row);
  const auto is_time = [](const auto& t) { return t && *t >= 0 && *t < kMaxPs; };
  const bool own = is_time(offset) && is_time(duration);
  return {row, lane.meta[i], own ? *offset : lane.start[i], own ? *duration : lane.dur[i],
          0,   lane.start[i]};
}

// By a stack in the order of the file, which is that of the core's clock.
void FindSelfTimes(std::vector<CoreEvent>* events) {
  std::vector<CoreEvent*> open;
  for (CoreEvent& e : *events) {
    e.self = e.duration;
    while (!open.empty() && !(open.back()->begin <= e.begin && e.end() <= open.back()->end()))
      open.pop_back();
    if (!open.empty()) open.back()->self = SaturatingSub(open.back()->self, e.duration);
    open.push_back(&e);
  }
  for (CoreEvent& e : *events) e.self = std::max<Ps>(0, e.self);
}

}  // namespace

std::vector<CoreEvent> CoreEventsOf(const Trace& trace, const StatTable& stats, const Track& track,
                                    const TimeScope& scope) {
  std::vector<std::pair<uint64_t, CoreEvent>> placed;  // by place in the file
  for (const Lane& lane : trace.set.LanesOf(track)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (scope.Contains(lane.start[i]))
        placed.emplace_back(lane.SourceOffset(i), EventOf(stats, lane, i));
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CoreEvent> events;
  events.reserve(placed.size());
  for (const auto& [place, event] : placed) events.push_back(event);
  FindSelfTimes(&events);
  return events;
}

const Track* CoreLine(const Trace& trace, const Plane& core, TrackKind kind) {
  const Track* most = nullptr;
  for (const TrackId t : core.tracks) {
    const Track& track = trace.set.tracks[t.value];
    const bool more = most == nullptr ? track.events > 0 : track.events > most->events;
    if (track.kind == kind && more) most = &track;
  }
  return most;
}

}  // namespace stepscope
