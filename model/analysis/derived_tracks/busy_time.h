// BusyTime: when a device works, and on what. A value; any thread. Times are by the session's
// clock.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/analysis/derived_tracks/work_part.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/tpu/core.h"
#include "model/trace.h"

namespace stepscope {

struct BusyTime {
  Ranges all;                                                       // at least one event is open
  std::array<Ranges, static_cast<size_t>(WorkPart::kCount)> parts;  // they do not overlap
};

// A GPU's busy time. `classes`: by MetaId, as DeviceClasses gives them. Where several kinds of work
// overlap, the time is the first one's. O(events of the device)
BusyTime BusyTimeOf(const Trace& trace, const Plane& plane, const std::vector<uint8_t>& classes);

// A TPU core's busy time, by the self time of its ops. An op that waits for a copy counts as a
// copy, as in the losses of a step (docs/rules.md#tpu). O(ops)
BusyTime BusyTimeOf(const Trace& trace, const StatTable& stats, const TpuCore& core);

}  // namespace stepscope
