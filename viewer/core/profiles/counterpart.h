// Finds the event of another profile that does the same work: it has the same name, is on a track
// of the same kind, and is the k-th such event of its step in both profiles. Pure; any thread.
#pragma once

#include "viewer/core/profiles/profile.h"

namespace stepscope {

// `row` is a row of the trace's own set. Steps match by number, else by place; a profile without
// steps counts as one step. A step with fewer than k such events gives its last one, and a step
// with none gives the last one of the profile. Invalid if the profile has no event of this name.
// O(events on tracks of that kind)
EventRow CounterpartOf(const Profile& from, EventRow row, const Profile& to);

}  // namespace stepscope
