// Derived GPU lines (docs/rules.md#derived-lines) as track sets of the timeline: Steps, XLA
// Modules, XLA Ops, Framework Ops, Name Scope, Source code and Launch Stats. O(n log lanes),
// parallel over planes.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

// One set a GPU plane; none where the file brings its own derived lines.
std::vector<std::shared_ptr<const TrackSet>> BuildDerivedLines(AnalysisContext& context,
                                                               std::stop_token stop);

}  // namespace stepscope
