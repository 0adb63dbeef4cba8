#include "viewer/core/profiles/activity_at_time.h"

#include <optional>

#include "model/lookup.h"

namespace stepscope {
namespace {

EventRow InnermostAt(const TrackSet& set, TrackId track, Ps time) {
  EventRow found;
  for (const Lane& lane : set.LanesOf(set.tracks[track.value])) {
    if (lane.kind == LaneKind::kInstant) continue;
    const std::optional<uint32_t> at = EventAt(lane, time);
    if (at) found = EventRow(lane.first_row + *at);
  }
  return found;
}

int RankOfKind(PlaneKind kind) {
  if (kind == PlaneKind::kGpu || kind == PlaneKind::kTpu) return 0;
  return kind == PlaneKind::kHostThreads ? 1 : 2;
}

}  // namespace

std::vector<ActivityAtTime> EventsAt(const Profile& profile, Ps time, size_t most) {
  std::vector<ActivityAtTime> found;
  const Trace& trace = *profile.trace;
  for (int rank = 0; rank < 3; ++rank) {
    for (const Plane& plane : trace.planes) {
      if (RankOfKind(plane.kind) != rank) continue;
      for (const TrackId track : plane.tracks) {
        if (found.size() == most) return found;
        const EventRow row = InnermostAt(trace.set, track, time);
        if (!row.valid()) continue;
        const std::string_view name =
            trace.names().strings.View(trace.set.tracks[track.value].name);
        found.push_back({EventRef{profile.id, 0, row},
                         plane.display_name + " \u00b7 " + std::string(name),
                         std::string(trace.names().DisplayName(trace.set.Meta(row)))});
      }
    }
  }
  return found;
}

}  // namespace stepscope
