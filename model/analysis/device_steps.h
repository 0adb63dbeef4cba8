// The engine behind our device steps: divides each device's timeline among steps and explains its
// idle time by what the host did. O(n log streams), parallel over devices and host threads.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/analysis/step_plan.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Fills device_steps, and each step's times (mean over devices) and span. Steps without device
// events are removed.
void DivideDevices(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepPlan plan, StepDatabase* db, std::stop_token stop);

// Lanes with the device's own work: streams, without overhead, annotations and derived lines.
std::vector<const Lane*> WorkLanes(const Trace& trace, const Plane& plane);
// By meta: class of device events; kUnknown for what is no work (annotations on a stream).
std::vector<uint8_t> DeviceClasses(const Trace& trace);

// Steps where nothing marks them: the calls that a program repeats on purpose, or the one call that
// encloses nearly all launches. Empty if there is none. O(events log events).
StepPlan InferByCalls(const Trace& trace, const Grouping& grouping);
// Steps where nothing marks them, from the period of the kernel sequence of the busiest stream of
// each host. Null plan (no steps) if there is no period. `confidence` is the share of the sequence
// that repeats.
StepPlan InferByPeriod(const Trace& trace, const Grouping& grouping, double* confidence);
// What repeats inside one step, of the busiest stream: layers, mostly. None: count 0.
struct EqualParts {
  size_t count = 0;
  Ps each = 0;  // mean
};
EqualParts FindEqualParts(const Trace& trace, const Step& step);
// The smallest period of a sequence that repeats at least `least` of it; 0 if none.
size_t FindPeriod(const std::vector<uint32_t>& sequence, double least, double* share);

}  // namespace stepscope
