// Folds: which planes and tracks of a trace are folded by the rules that are kept, and what is
// folded as rules. By PlanePath and TrackPath. Pure; O(tracks).
#pragma once

#include <set>
#include <string>

#include "model/trace.h"
#include "viewer/core/track_rules.h"

namespace stepscope {

// Planes that begin folded where no rule names them: those that hold next to nothing beside others
// (PyTorch's "Spans" and "Traces" have one event each). Threads too that wait in one place.
TrackRules::Paths FoldedAtFirst(const Trace& trace);

// The busiest tracks of the busiest device, or of the busiest plane where there is none: what is
// shown of profiles beside each other, so that each is in sight. At most 4 paths.
TrackRules::Paths BusiestTracks(const Trace& trace);

// What is folded when the trace is opened. Of the rules only those of its planes and their tracks.
TrackRules::Paths FoldedBy(const TrackRules& rules, const Trace& trace);

// Makes the rules say what is folded now, so that FoldedBy gives it back. Those of planes that the
// trace does not have stay, unless there are thousands.
void KeepFolds(const Trace& trace, const TrackRules::Paths& folded, TrackRules* rules);

}  // namespace stepscope
