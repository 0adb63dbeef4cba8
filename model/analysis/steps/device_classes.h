// Tells the events of a device that are its own work, and the class of time of each.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

// The lanes with the device's own work: streams, without overhead, annotations and derived lines.
std::vector<const Lane*> WorkLanes(const Trace& trace, const Plane& plane);
// By MetaId: the TimeClass of device events; kUnknown for what is no work, such as annotations on a
// stream. O(names).
std::vector<uint8_t> ClassesOfDeviceEvents(const Trace& trace);
// The same as a part of a context.
struct DeviceClasses {
  std::vector<uint8_t> of_meta;
  static DeviceClasses Compute(AnalysisContext& context);
};
// By MetaId: whether events on a device are work of it. Nsight Systems and PyTorch also list waits
// of the host for a device there ("Stream Sync"). `classes`: those of ClassesOfDeviceEvents().
// O(names).
std::vector<bool> DeviceWork(const Trace& trace, const std::vector<uint8_t>& classes);

}  // namespace stepscope
