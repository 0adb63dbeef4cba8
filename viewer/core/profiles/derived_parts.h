// Derives what is drawn together with a trace, once for all views: tracks of devices and arrows
// between events. Pure.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/track.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

struct DerivedParts {
  std::vector<std::shared_ptr<const TrackSet>> sets;
  std::shared_ptr<const FlowIndex> flows;
};

// Whether there is anything to derive: tracks of devices, launches, asynchronous work, or recorded
// arrows. O(planes).
bool HasDerivedParts(const Trace& trace);
// Takes seconds for a large trace.
DerivedParts Derive(AnalysisContext& context);

}  // namespace stepscope
