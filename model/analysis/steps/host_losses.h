// Times by class of programs whose device is the CPU (docs/rules.md#losses): compute is the time of
// ops, and the rest is idle time that idle_causes.h explains.
#pragma once

#include <span>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// The events that are work by themselves where the CPU is the device.
struct HostOpNames {
  std::vector<uint8_t> ops;     // by MetaId
  std::vector<uint8_t> inputs;  // by MetaId: tf.data runs it, and what is inside it prepares input
  // JAX recorded the calls of compiled programs and nothing inside: the calls are among `ops`.
  bool programs = false;

  // O(names + events with a long name).
  HostOpNames(const Trace& trace, const StatTable& stats);
};

// Divides windows of time of a host whose device is the CPU. Immutable; any thread.
class HostDivider {
 public:
  // All arguments except the steps must outlive this.
  HostDivider(const Trace& trace, const StatTable& stats, const Grouping& grouping,
              std::span<const Step> steps);

  // `windows` are disjoint and by begin. `losses` gets the times of each; a cause has the number of
  // its window as step. `intervals` may be null. O(events log events).
  void Divide(HostId host, const Ranges& windows, std::vector<StepClassTimes>* losses,
              std::vector<IdleCause>* causes, IdleIntervals* intervals) const;
  // Whether compute is the time of compiled programs whose ops were not recorded.
  bool programs() const { return names_.programs; }

 private:
  Ranges Compute(HostId host, const Ranges& windows) const;
  void AddOps(const Track& thread, Ranges* compute) const;
  std::vector<IdleGap> TakeCollectives(HostId host, const std::vector<IdleGap>& gaps,
                                       std::vector<StepClassTimes>* losses,
                                       std::vector<IdleCause>* causes) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const HostOpNames names_;
  const std::vector<uint8_t> collectives_;
  const HostActivity activity_;
  const IdleExplainer explainer_;
};

// Divides the steps of a program without devices: fills class_times of the database's steps, and
// its causes. Steps that overlap get none. O(events log events).
void AddHostLosses(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepDatabase* db);

}  // namespace stepscope
