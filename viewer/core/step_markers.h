// FindSteps: the steps of a trace as labels and ranges, for the strip on top of the timeline and
// for "go to step". The app-wide helper; works without typed stats, so it is there at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct StepMarker {
  std::string label;  // "train 12", "12"
  TimeRange range;
  EventRow row;  // in the set that it was found in
};

// Sorted by begin. From the first source that has any: `Steps` tracks (of one device), those of the
// derived sets (they know the step's number), events of category kStep, host events whose name
// looks like a step's (train, test, step, TraceContext, ProfilerStep#). O(metas + lanes that hold
// such events); at most kMaxSteps.
inline constexpr size_t kMaxSteps = 100'000;
std::vector<StepMarker> FindSteps(const Trace& trace,
                                  std::span<const std::shared_ptr<const TrackSet>> derived = {});

// Gives markers whose label has no number that of the overview's table "steps" (stepnum, ranges in
// its links); where there are no markers, the table's steps become markers: inferred ones have no
// event that marks them. O(n log n).
void NameSteps(const ResultTable& table, std::vector<StepMarker>* steps);

// Whether a host event of this name marks a step: "train 12", "TraceContext", "ProfilerStep#3"; not
// "train/op".
bool LooksLikeStep(std::string_view name);

}  // namespace stepscope
