// Finds events by another event or by a time. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/trace.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

// Finds an event again in another trace of the same profile, for example in the whole trace after a
// part of it: the first event with the same begin, length and name on the track of the same path.
// Invalid if there is none. `row` is a row of the trace's own set. O(tracks).
EventRow SameEvent(const Trace& from, EventRow row, const Trace& to);

// Finds the event of another profile that does the same work: it has the same name, is on a track
// of the same kind, and is the k-th such event of its step in both profiles. `row` is a row of the
// trace's own set. Steps match by number, else by place; a profile without steps counts as one
// step. A step with fewer than k such events gives its last one, and a step with none gives the
// last one of the profile. Invalid if the profile has no event of this name. O(events on tracks of
// that kind)
EventRow CounterpartOf(const Profile& from, EventRow row, const Profile& to);

// An event that runs when a click on a memory snapshot below a trace asks for it.
struct ActivityAtTime {
  EventRef event;
  std::string track;  // "GPU 0 \u00b7 Stream #7"
  std::string name;   // the event's name as people see it
};
// The innermost slice of each track that contains `time`, which is in the trace's time: devices
// first, then host threads, then the rest. Stops after `most` events. O(lanes log n)
std::vector<ActivityAtTime> EventsAt(const Profile& profile, Ps time, size_t most);

}  // namespace stepscope
