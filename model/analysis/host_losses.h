// Losses of programs whose device is the CPU (docs/rules.md#losses).
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/analysis/host_activity.h"
#include "model/analysis/idle_causes.h"
#include "model/analysis/ranges.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Divides any windows of time of a host whose device is the CPU.
class HostDivider {
 public:
  // All but the steps must outlive it.
  HostDivider(const Trace& trace, const StatTable& stats, const Grouping& grouping,
              std::span<const Step> steps);

  // `windows` are disjoint and by begin. `losses` has one for each; a cause has the window's number
  // as its step. `intervals` may be null. Thread-safe. O(events log events). Stopped, it returns
  // early, and what it fills is incomplete.
  void Divide(HostId host, const Ranges& windows, std::vector<LossTimes>* losses,
              std::vector<IdleCause>* causes, IdleIntervals* intervals,
              const std::stop_token& stop = {}) const;

 private:
  Ranges Compute(HostId host, const Ranges& windows, const std::stop_token& stop) const;
  std::vector<IdleGap> TakeCollectives(HostId host, const std::vector<IdleGap>& gaps,
                                       std::vector<LossTimes>* losses,
                                       std::vector<IdleCause>* causes) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const std::vector<uint8_t> ops_, collectives_;
  const HostActivity activity_;
  const IdleExplainer explainer_;
};

// Divides the steps of a program without devices: fills the losses of the database's steps, and its
// causes. Steps that overlap get none. O(events log events). Stopped, it returns early, and the
// losses are incomplete.
void AddHostLosses(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepDatabase* db, const std::stop_token& stop = {});

// By MetaId: ops that do work by themselves, where the CPU is the device. O(names).
std::vector<uint8_t> HostOpMetas(const Trace& trace);

}  // namespace stepscope
