// Finds the events running at a given time; used when the user clicks a memory snapshot below a
// trace. Pure; O(lanes log n).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viewer/core/profiles/profile.h"

namespace stepscope {

struct ActivityAtTime {
  EventRef event;
  std::string track;  // "GPU 0 \u00b7 Stream #7"
  std::string name;   // the event's name as people see it
};
// The innermost slice of each track that contains `time`, which is in the trace's time: devices
// first, then host threads, then the rest. Stops after `most` events.
std::vector<ActivityAtTime> EventsAt(const Profile& profile, Ps time, size_t most);

}  // namespace stepscope
