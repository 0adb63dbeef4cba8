// StepPlan: the steps that were found, and which of them an event belongs to.
#pragma once

#include <cstdint>
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

}  // namespace stepscope
