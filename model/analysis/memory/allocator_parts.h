// Moments and parts of a memory snapshot's recording: an event at a time, the events in a range,
// and the steps that the program annotated. Pure functions of an immutable history; any thread.
#pragma once

#include <string>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

// The device with the highest peak; null without devices.
const AllocatorDevice* FullestDevice(const AllocatorHistory& history);

// A part of a device's events, and the event in it after which most was allocated.
struct AllocatorPart {
  uint32_t first = 0, last = 0;  // events [first, last) of the device
  uint32_t peak = 0;             // event
  int64_t peak_bytes = 0;
  // The event whose state the part leaves behind: its last one.
  uint32_t end() const { return last > first ? last - 1 : first; }
};
// The events in the range; all if it is empty. O(events + allocations).
AllocatorPart PartOf(const AllocatorHistory& history, const AllocatorDevice& device,
                     TimeRange range);
// The last event at or before the time, else 0. O(log events).
uint32_t EventAt(const AllocatorHistory& history, const AllocatorDevice& device, Ps time);

// The begins of the steps that the program annotated, as events of the device. Steps are the
// annotations whose names differ only in a number; those called step are preferred. O(notes log
// events).
struct AllocatorSteps {
  std::vector<uint32_t> begins;
  std::vector<std::string> names;
};
AllocatorSteps StepsOf(const AllocatorHistory& history, const AllocatorDevice& device);

}  // namespace stepscope
