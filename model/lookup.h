// Pure reads over a TrackSet: what is at a time, what encloses an event, what is inside it. O(log
// n) unless said.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// Index in the lane of the event containing t, or the instant nearest within `slop`; nullopt if
// none.
std::optional<uint32_t> EventAt(const Lane& lane, Ps t, Ps slop = 0);
// Indices [first, last) of the lane's events that touch the range.
std::pair<uint32_t, uint32_t> EventsIn(const Lane& lane, TimeRange range);
// The event one depth up that encloses row; invalid if none. Instants have the innermost enclosing
// slice as parent.
EventRow Parent(const TrackSet& set, EventRow row);
// The slices one depth down inside row, in order; instants inside it are not listed.
std::vector<EventRow> Children(const TrackSet& set, EventRow row);
// Duration minus the children's. 0 for instants; spilled events have no children.
Ps SelfTime(const TrackSet& set, EventRow row);
// The next or previous event with the same name on the same track.
EventRow NextSameName(const TrackSet& set, EventRow row, int direction);
// The events of that name on that track, lane by lane: the first `most` of them, and how many there
// are. Stops early with what it has when told to. O(events of the track): not for a frame.
struct SameNameEvents {
  std::vector<EventRow> rows;
  uint64_t total = 0;
};
SameNameEvents AllOfSameName(const TrackSet& set, EventRow row, size_t most,
                             const std::stop_token& stop = {});

}  // namespace stepscope
