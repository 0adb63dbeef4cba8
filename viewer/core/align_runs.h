// How the times of two runs lie on the axis that they share: which time of one is at which time of
// the other, and whether one is stretched. Pure; O(steps).
#pragma once

#include <span>

#include "viewer/core/run.h"
#include "viewer/core/view_state.h"

namespace stepscope {

// The run that is compared with the baseline: the active one, or the first that is not it. Null if
// nothing is compared.
const Run* ComparedRun(std::span<const Run> runs, const ViewState& view);

// Moves a run so that its time `own` is where `base` of the baseline is. Keeps its stretch.
void AlignTimes(const RunState& baseline, Ps base, Ps own, RunState* state);
// A step of each: of the baseline the one nearest to `near` (in its time), of the other run the one
// of that number, or the first of each where numbers do not meet. False if one has no steps.
bool AlignBySteps(const Run& base, const RunState& baseline, Ps near, const Run& run,
                  RunState* state);
// So that the median steps are equally long. False if one has no steps.
bool StretchToSteps(const Run& base, const RunState& baseline, const Run& run, RunState* state);
// Whether one is a memory snapshot and the other is not.
bool AreSnapshotAndTrace(const Run& a, const Run& b);
// A memory snapshot and a trace of the same program: by the clocks of both, if what they recorded
// overlaps by them. False for any other two.
bool AlignByClock(const Run& base, const RunState& baseline, const Run& run, RunState* state);
// Runs beside a baseline that nobody has aligned yet: a snapshot and a trace by their clocks,
// others by the first steps that count.
void AlignByItself(std::span<const Run> runs, ViewState* view);

}  // namespace stepscope
