// TrackFolding: leads from the kept rules to the planes and tracks of a trace that are folded, and
// back. Planes and tracks are named by PlanePath and TrackPath. Pure; O(tracks).
#pragma once

#include <vector>

#include "model/trace.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

// How many leading rows of the track hold nothing but one Python frame that is open for at least
// half of the trace, such as the main module and what starts the program; 0 if it is only one. They
// would fill the first rows of the thread, so the timeline shows them as one row. O(result)
uint32_t OuterFrames(const Trace& trace, const Track& track);

// Whether a plane has next to no events beside others, by plane. GPUs always count.
std::vector<bool> PlanesOfFewEvents(const Trace& trace);

// What begins folded where no rule names it: planes with next to no events beside others (PyTorch's
// "Spans" and "Traces" have one event each), threads that wait in one call, the derived tracks of
// devices, and the outer frames of threads.
TrackRules::Paths FoldedAtFirst(const Trace& trace);

// The busiest tracks of the busiest device, or of the busiest plane in a trace without devices.
// Only these are shown while profiles are compared in one list, so that each profile is in sight.
// At most 4 paths.
TrackRules::Paths BusiestTracks(const Trace& trace);

// The planes and tracks that are folded when the trace is opened. Paths of other traces
// are left out.
TrackRules::Paths FoldedBy(const TrackRules& rules, const Trace& trace);

// Changes the rules so that FoldedBy gives `folded` back. Rules for planes that the trace does not
// have stay, unless there are thousands.
void KeepFolds(const Trace& trace, const TrackRules::Paths& folded, TrackRules* rules);

}  // namespace stepscope
