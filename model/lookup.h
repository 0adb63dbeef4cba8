// Queries of a TrackSet: which event is at a time, what encloses an event, what is inside it. Pure;
// any thread. O(log n) unless stated.
#pragma once

#include <optional>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// Whether a GPU was recorded; without one there are no launches. O(planes)
bool HasGpuPlane(const Trace& trace);
// The index in the lane of the event that contains t, or of the nearest instant within `slop`.
std::optional<uint32_t> EventAt(const Lane& lane, Ps t, Ps slop = 0);
// Indices [first, last) of the lane's events that touch the range (EventsTouching in lane_mip.h).
std::pair<uint32_t, uint32_t> EventsIn(const Lane& lane, TimeRange range);
// The event one depth up that encloses the row; invalid if there is none. The parent of an instant
// is the innermost slice that encloses it.
EventRow Parent(const TrackSet& set, EventRow row);
// The slices one depth down inside the row, in order; no instants. O(log n + children).
std::vector<EventRow> Children(const TrackSet& set, EventRow row);
// The duration less that of the children. 0 for instants; spilled events
// have no children. O(log n + children).
Ps SelfTime(const TrackSet& set, EventRow row);
// The next (`direction` > 0) or previous event of the same name on the same track; invalid if there
// is none. O(events between them).
EventRow NextSameName(const TrackSet& set, EventRow row, int direction);
struct SameNameEvents {
  std::vector<EventRow> rows;
  uint64_t total = 0;  // events of the name, of which `rows` may have only the first
};
// The first `most` events of the row's name on its track, by lane. O(events of the track), which is
// too slow for a frame.
SameNameEvents AllOfSameName(const TrackSet& set, EventRow row, size_t most);

}  // namespace stepscope
