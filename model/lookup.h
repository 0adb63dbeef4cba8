// Pure reads over a TrackSet: what is at a time, what encloses an event, what is inside it. O(log
// n) unless said.
#pragma once

#include <functional>
#include <optional>
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
// Calls fn(row, depth) for every event of the track (slices and instants) ordered by start, then
// longer first, then file order. O(n log lanes).
void ForEachInOrder(const TrackSet& set, const Track& track,
                    const std::function<void(EventRow, uint32_t)>& fn);

}  // namespace stepscope
