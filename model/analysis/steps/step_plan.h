// StepPlan: the steps that were found, before devices are divided among them, and the step that an
// event belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Events find their step by their group, or, where by_time(), by when they or their launches begin.
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

}  // namespace stepscope
