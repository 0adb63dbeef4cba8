// Divides the time of each device among steps that are found already, and explains its idle time by
// what the host did (docs/rules.md#steps): the engine behind our device steps. Parallel over
// devices and host threads; O(n log streams).
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/step_plan.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Fills db->device_steps, causes and idle times, and each step's span and times (the mean
// over its devices). Removes steps without device events. Stopped, it returns early and
// leaves the database incomplete.
void DivideDevices(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepPlan plan, StepDatabase* db, std::stop_token stop);

// The lanes with the device's own work: streams, without overhead, annotations and derived lines.
std::vector<const Lane*> WorkLanes(const Trace& trace, const Plane& plane);
// By MetaId: the TimeClass of device events; kUnknown for what is no work, such as annotations on a
// stream. O(names).
std::vector<uint8_t> DeviceClasses(const Trace& trace);
// By MetaId: whether events on a device are work of it. Nsight Systems and PyTorch also list waits
// of the host for a device there ("Stream Sync"). O(names).
std::vector<bool> DeviceWork(const Trace& trace);

}  // namespace stepscope
