// Steps: where the time of each step went (docs/rules.md#steps). Two definitions: XProf's, and
// ours, which divides each device's own step and explains its idle time by what the host did. Owned
// by the AnalysisContext; immutable.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/grouping.h"
#include "model/analysis/losses.h"
#include "model/analysis/time_classes.h"

namespace stepscope {

enum class DeviceKind : uint8_t { kCpuOnly, kGpu, kTpu };

// The nine columns of the step table, ps. They sum to `total`, but for XProf's host-to-host time,
// which it drops.
struct StepBreakdown {
  double compute = 0, device_to_device = 0, collectives = 0, host_compute = 0, launch = 0,
         input = 0, output = 0, compile = 0, other = 0, total = 0;
  double host_to_device = 0;  // the part of input that is copies to the device
};

// One step on one device, by our definitions.
struct DeviceStep {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;
  TimeRange span;  // from the end of the last device event of the step before, to that of its own
  StepBreakdown times;     // exclusive, within span; input = idle in input wait + host-to-device
                           // copies not hidden
  Ps input_wait = 0;       // device idle while the step waits for input on the host
  Ps host_input_wait = 0;  // the same wait, whether the device idles or not
  Ps h2d = 0, d2h = 0;     // copies that the step issued, whole
  Ps h2d_hidden = 0, d2h_hidden = 0;    // of these, behind compute
  Ps collective_wait = 0;               // in collectives before the last participant starts
  Ps idle = 0;                          // no device event at all
  double compute16 = 0, compute32 = 0;  // ps
  uint32_t events = 0;
  LossTimes losses{};  // sum to span
};

struct Step {
  // What people call it: the number at the end of its label, where those of all steps of its host
  // rise; else its place among them, from 0.
  int64_t number = 0;
  int32_t group = -1;  // index into Grouping::groups; -1: found without a marker
  HostId host;
  std::string label;  // "train 3"
  TimeRange span;
  StepBreakdown times;                  // mean over devices
  double compute16 = 0, compute32 = 0;  // ps, of all devices together
  double slowest = 0;  // XProf, several hosts: the longest of the aligned steps, ps; else 0
  std::array<double, kLossClasses>
      losses{};  // ours only: mean over devices, ps; sum to times.total
  bool inferred = false;
  bool partial = false;  // cut by the begin or the end of the recording
  bool warmup = false;   // the first, and much longer than the others
  bool counts() const { return !partial && !warmup; }  // in averages
  std::vector<EventRow> rows;                          // its marker, or its first events
};

struct StepDatabase {
  DeviceKind kind = DeviceKind::kCpuOnly;
  std::vector<Step> steps;               // by host, then time
  std::vector<DeviceStep> device_steps;  // by step, then device; ours only
  std::vector<IdleCause> causes;         // by device, step, class, falling time; ours only
  IdleIntervals idle;                    // of its devices; ours only
  std::vector<DeviceIdle> idle_parts;    // of each GPU; ours only
  double compute16 = 0, compute32 = 0;   // ps, in steps that were dropped too
  bool inferred = false;
  double confidence = 1;  // of inferred steps, 0 to 1
  std::string how;        // how the steps were found, one sentence
  uint32_t dropped = 0;   // XProf leaves out the first and the last of more than five
};

StepDatabase BuildSteps(AnalysisContext& context, std::stop_token stop);

// The parts, for tests.
StepDatabase XprofSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                        const Quirks& quirks, std::stop_token stop);
StepDatabase OwnSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                      const Quirks& quirks, std::stop_token stop);
// One step from the first to the last device event, without devices one of each host over all of
// the trace: for recordings in which no step is found. Empty without events.
StepDatabase WholeSpan(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                       std::stop_token stop);
// Steps of the host's own work: for profiles without devices.
StepDatabase HostSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                       const Quirks& quirks, std::stop_token stop);
DeviceKind KindOf(const Trace& trace);
void NumberSteps(std::vector<Step>* steps);  // by host, then time
// The first step of a host may compile, tune and fill caches, or be marked after its begin: it is
// warm-up or partial then.
void MarkFirst(std::vector<Step>* steps);

// Lanes of the plane's own lines: what XProf's preprocessing added to the file is left out.
std::vector<const Lane*> PlaneLanes(const Trace& trace, const Plane& plane);

// Averages over the steps that count; over all where none does.
struct StepSummary {
  double mean = 0, deviation = 0, min = 0, max = 0, median = 0;  // ms
  size_t count = 0;
};
std::vector<const Step*> CountedSteps(const std::vector<Step>& steps);
StepSummary Summarize(const std::vector<Step>& steps, double StepBreakdown::*field);
// Of the step times: of several hosts, as XProf has them, the slowest host's.
StepSummary SummarizeStepTimes(std::vector<Step> steps);

}  // namespace stepscope
