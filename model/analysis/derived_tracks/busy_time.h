// BusyTime: when a device works, and on what. A value; any thread. Times are by the session's
// clock.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/analysis/intervals/ranges.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/tpu/core.h"
#include "model/trace.h"
#include "model/track.h"

namespace stepscope {

// WorkPart: what a busy device works on, as the utilisation shows it. Pure; O(length of a name).

// Kinds of work of a busy device. The first counter of the utilisation is the whole; those
// behind it are its parts, of which those without time are left out. Where several kinds of work
// overlap, the time is the first one's: copies and collectives are what nothing hides.
enum class WorkPart : uint8_t { kCompute, kCollectives, kCopies, kCount };
const char* IdOf(WorkPart part);  // the name of its counter: "compute"
// The part of a counter's name; kCount: none.
WorkPart WorkPartOf(std::string_view counter);

WorkPart WorkPartOf(TimeClass c);
// The part that an event of this name and category counts as.
WorkPart WorkPartOf(std::string_view name, EventCategory category);

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
