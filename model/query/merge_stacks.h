// Merges the nested events of a selection by their stacks, from callers to callees and the other
// way. Pure; any thread.
#pragma once

#include "model/query/call_tree.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

class Scope;  // model/analysis/steps/scope.h

// Chooses the slices of the trace's own set that count. Borrows all.
struct CallTreeQuestion {
  const Trace* trace = nullptr;
  const RowBits* rows = nullptr;  // null: all
  const Scope* scope = nullptr;   // those that touch it, cut at its borders; null: all
};

// From callers to callees. Times count as far as they lie in the scope, so that adjoining ranges
// add up. An event that is not selected is a frame if selected ones are inside: its total is
// theirs, and its self time is 0. Slices that overlap others without nesting are frames without
// callers. Tracks of devices count only if none of a host does; tracks that XProf derived do not.
// O(events of the tracks with selected ones).
CallTree BuildCallTree(const CallTreeQuestion& question);

// From callees to callers: the frames of depth 1 are all names of `tree`, by self time, and below
// each are the callers from which it was reached. `total` leaves out events inside another one of
// the name, so that recursion counts once. Frames without selected events are no callees. `rows`
// are those of depth 1. O(frames x depth).
CallTree TurnOver(const CallTree& tree);

}  // namespace stepscope
