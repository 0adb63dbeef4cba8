// The engine behind our device steps: divides each device's timeline among steps and explains its
// idle time by what the host did. O(n log streams), parallel over devices and host threads.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Which step a device event belongs to, before devices are looked at.
struct StepPlan {
  std::vector<Step> steps;             // span: the host marker's, or empty
  std::vector<int32_t> step_of_group;  // by group, -1: none
  // Steps found by time: begins of consecutive steps, ps; the end of the last. Empty where groups
  // tell.
  std::vector<Ps> boundaries;
  std::vector<int32_t> step_of_boundary;
  bool by_launch = false;  // boundaries are of launches, on the host; else of device events
  // Steps tile the time; else they begin with their markers, or with the end of the one before.
  bool tile = true;
  bool by_time() const { return !boundaries.empty(); }
  // The step of an event of a device or a host; -1: none. O(log n).
  int32_t StepOf(const Trace& trace, const Grouping& grouping, uint32_t row, Ps start) const;
};

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
// The smallest period of a sequence that repeats at least `least` of it; 0 if none.
size_t FindPeriod(const std::vector<uint32_t>& sequence, double least, double* share);

}  // namespace stepscope
