// Steps: where the time of each step went. This folder turns a grouped trace (Grouping, StatTable)
// into a StepDatabase and its verdict. Rules: docs/rules.md#steps, #losses and #verdict.
//
// How a step is found: builders/build_steps.cc chooses the definition. xprof_steps.cc there has
// XProf's; own_steps.cc has ours, which takes marks, else implicit roots, else infers steps
// (infer_steps.h); tpu_steps.h has those of TPUs. Where the time goes: device_steps.cc divides each
// device among the steps, device_windows.h adds up each step's time on a device, idle_causes.h says
// why the device is idle, and host_losses.h divides steps of programs without devices. verdict.h
// sums it up in one sentence. scope.h chooses the steps of a part of a trace, and step_tables.h
// shows them.
//
// StepDatabase is owned by the AnalysisContext and immutable; any thread may read it. Times are ps,
// doubles where they are means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

enum class DeviceKind : uint8_t { kCpuOnly, kGpu, kTpu };

// The nine columns of the step table in ps. They sum to `total`, except that XProf drops
// host-to-host time.
struct StepBreakdown {
  double compute = 0, device_to_device = 0, collectives = 0, host_compute = 0, launch = 0,
         input = 0, output = 0, compile = 0, other = 0, total = 0;
  double host_to_device = 0;  // the part of `input` that is copies to the device
};

// One step on one device, by our definitions (docs/rules.md#steps).
struct DeviceStep {
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;
  // From the end of the last device event of the step before to the end of its own.
  TimeRange span;
  // Exclusive, within span. `input` is idle time in input wait and exposed host-to-device copies.
  StepBreakdown times;
  Ps input_wait = 0;       // the device is idle while the step waits for input on the host
  Ps host_input_wait = 0;  // the same waits, whether or not the device is idle
  Ps h2d = 0, d2h = 0;     // copies that the step issued, whole
  Ps h2d_hidden = 0, d2h_hidden = 0;    // the parts of these behind compute
  Ps collective_wait = 0;               // in collectives, before the last participant starts
  std::vector<TimeRange> waits;         // when that was: sorted, disjoint
  Ps idle = 0;                          // no device event runs
  double compute16 = 0, compute32 = 0;  // ps
  uint32_t events = 0;
  StepClassTimes class_times{};  // exclusive; sum to span
};

struct Step {
  // The name that people give the step: the number at the end of its label where the labels of all
  // steps of its host rise, else its place among them from 0.
  int64_t number = 0;
  int32_t group = -1;  // index into Grouping::groups; -1: found without a marker
  HostId host;
  std::string label;  // "train 3"
  TimeRange span;
  StepBreakdown times;                  // mean over devices
  double compute16 = 0, compute32 = 0;  // ps, sum over devices
  // XProf, several hosts: the longest of the aligned steps in ps; else 0.
  double slowest = 0;
  // Ours only: ps by StepTimeClass, mean over devices; they sum to times.total.
  std::array<double, kStepTimeClasses> class_times{};
  bool inferred = false;
  bool partial = false;  // cut by the begin or the end of the recording
  bool warmup = false;   // the first step, much longer than the others
  // Whether the step is part of averages.
  bool counts() const { return !partial && !warmup; }
  std::vector<EventRow> rows;  // the marker, or the first events
  // Launches of kernels and graphs in the step, and those of them whose work was not recorded. Both
  // are 0 where the step is whole, or may have been cut (unrecorded.h); ours only.
  uint32_t launches = 0, lost_launches = 0;
};

struct StepDatabase {
  DeviceKind kind = DeviceKind::kCpuOnly;
  std::vector<Step> steps;               // by host, then time
  std::vector<DeviceStep> device_steps;  // by step, then device; ours only
  // Without any device event while others have some (unrecorded.h); ours only. These steps have the
  // time of their marker and are not among `steps`.
  std::vector<Step> unrecorded_steps;       // by host, then time
  std::vector<PlaneId> unrecorded_devices;  // GPUs, by id
  // GPUs with a negligible share of the busiest one's work, by id; ours only. They have no steps.
  std::vector<PlaneId> idle_devices;
  // Device events that the launch of a graph started / those whose launch is known; ours only.
  double graph_share = 0;
  std::vector<IdleCause> causes;        // by device, step, class, falling time; ours only
  IdleIntervals idle;                   // on all devices; ours only
  std::vector<DeviceIdle> idle_parts;   // by GPU; ours only
  double compute16 = 0, compute32 = 0;  // ps, also in steps that were dropped
  bool inferred = false;
  double confidence = 1;  // 0 to 1; below 1 only where steps are inferred
  std::string how;        // how the steps were found, as a sentence
  // Compute is the time of compiled programs whose ops were not recorded (host_losses.h).
  bool programs_as_ops = false;
  // Number of steps that XProf leaves out: the first and the last of more than five.
  uint32_t dropped = 0;

  static StepDatabase Compute(AnalysisContext& context);
};

// The definitions that StepDatabase::Compute chooses from.
StepDatabase XprofSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                        const XprofDefinitions& xprof);
StepDatabase OwnSteps(AnalysisContext& context);
// One step from the first to the last device event; without devices one step for each host, as long
// as the trace. For recordings in which no step is found. Empty without events.
StepDatabase WholeSpan(AnalysisContext& context);
// Steps of the host's own work, for profiles without devices.
StepDatabase HostSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                       const XprofDefinitions& xprof);
DeviceKind KindOf(const Trace& trace);
// Sets Step::number. The steps are by host, then time.
void NumberSteps(std::vector<Step>* steps);
// Marks the first step of each host as warm-up if it is much longer than the others (it compiles,
// tunes, fills caches), or as partial if it is much shorter (its mark came late).
// docs/rules.md#steps-that-count.
void MarkFirst(std::vector<Step>* steps);

// The lanes of the plane's own lines, without the lines that XProf's
// preprocessing added to the file.
std::vector<const Lane*> PlaneLanes(const Trace& trace, const Plane& plane);

// Names by HostId and by PlaneId, as texts that many rows share.
std::vector<SharedText> HostNames(const Trace& trace);
std::vector<SharedText> DeviceNames(const Trace& trace);

// Averages over the steps that count, or over all if none counts; `deviation` is the sample's.
struct StepSummary {
  double mean = 0, deviation = 0, min = 0, max = 0, median = 0;  // ms
  size_t count = 0;
};
// The time of a step, and its marker or first events.
RowLink LinkTo(const Step& step);
std::vector<const Step*> CountedSteps(const std::vector<Step>& steps);
StepSummary Summarize(const std::vector<Step>& steps, double StepBreakdown::*field);
// Summarises step times. XProf's of several hosts are those of the slowest host (Step::slowest).
StepSummary SummarizeStepTimes(std::vector<Step> steps);

// A step's ps by StepTimeClass. Steps that were not divided (TPUs, steps that overlap) are divided
// as their nine columns tell.
std::array<double, kStepTimeClasses> ClassTimesOf(const Step& step);
// A step's ps by StepPart; they sum to the step.
StepPartTimes PartTimesOf(const Step& step);

// The spans of one device's steps, by begin, for sweeps over its events. O(n log n)
struct StepWindow {
  TimeRange span;
  uint32_t step = 0;  // index into StepDatabase::steps
};
std::vector<StepWindow> StepWindowsOf(const StepDatabase& db, PlaneId device);

// The steps that were found, before devices are divided among them. Events find their step by their
// group, or, where by_time(), by when they or their launches begin.
struct StepPlan {
  std::vector<Step> steps;             // span: the host marker's time, or empty
  std::vector<int32_t> step_of_group;  // by group; -1: none
  // Where steps are found by time: the begins of consecutive steps in ps, then the end of the last
  // one. Empty where groups tell the step.
  std::vector<Ps> boundaries;
  std::vector<int32_t> step_of_boundary;
  // Boundaries are compared with the begin of an event's launch on the
  // host; else with its own begin.
  bool by_launch = false;
  // Steps tile the time; else each begins with its marker, or with the end of
  // the step before if that is later.
  bool tile = true;
  bool by_time() const { return !boundaries.empty(); }
  // The step of an event of a device or a host; -1: none. O(log n).
  int32_t StepOf(const Trace& trace, const Grouping& grouping, uint32_t row, Ps start) const;
};

// Divides the time of each device among steps that are found already, and explains its idle time by
// what the host did (docs/rules.md#steps): fills db->device_steps, causes and idle times, and each
// step's span and times (the mean over its devices). Removes steps without device events. Parallel
// over devices and host threads; O(n log streams).
void DivideDevices(AnalysisContext& context, StepPlan plan, StepDatabase* db);

}  // namespace stepscope
