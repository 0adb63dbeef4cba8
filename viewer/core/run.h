// One open run: its trace and the sets that are drawn with it. Plain data, read-only in a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// One run as the timeline sees it: the trace and the sets drawn with it.
struct TimelineRun {
  TraceId id;
  std::string label;
  std::shared_ptr<const Trace> trace;
  std::vector<std::shared_ptr<const TrackSet>> derived;
  const TrackSet& Set(uint32_t set) const { return set == 0 ? trace->set : *derived[set - 1]; }
  uint32_t sets() const { return 1 + static_cast<uint32_t>(derived.size()); }
};

}  // namespace stepscope
