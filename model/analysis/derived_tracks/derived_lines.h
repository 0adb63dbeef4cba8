// This folder makes tracks of the timeline that no file has. In: a trace and what analyses know
// of it. Out: track sets, one a device. Derived lines are here, as in XProf
// (docs/rules.md#derived-lines): Steps, XLA Modules, XLA Ops, Framework Ops, Name Scope, Source
// code and Launch Stats. Derived tracks of GPUs are in device_tracks.h. Start with these two;
// derived_annotations.h reads what kernels say, derived_names.h holds the names.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

// One set for each GPU plane or TPU core that has lines; none for a plane whose file has derived
// lines itself. O(n log lanes), parallel over planes; any thread may call it.
std::vector<std::shared_ptr<const TrackSet>> BuildDerivedLines(AnalysisContext& context);

}  // namespace stepscope
