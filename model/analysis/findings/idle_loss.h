// Sums of idle time by cause, for rules about devices that wait.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/grouping/host_role.h"

namespace stepscope {

struct IdleLoss {
  double ms = 0, percent = 0;       // of an average step, mean over devices (docs/rules.md#losses)
  std::string cause;                // name of the largest cause; empty: none has a name
  double cause_percent = 0;         // share of the loss
  HostRole role = HostRole::kWork;  // of its event
  std::string causes;               // the three largest: "aten::index 61 %, aten::copy_ 12 %"
  std::vector<PlaneId> devices;     // with at least half the threshold, else all, by name
  std::vector<uint32_t> steps;      // with at least the threshold, else all
  RowLink link;                     // the host's events; the longest interval
};

// Sums the causes for which `wanted` is true. `every_step`: over all steps, whether they count or
// not. O(causes).
IdleLoss SumIdle(const FindingContext& input, const std::function<bool(const IdleCause&)>& wanted,
                 double threshold, bool every_step = false);
// Sums the causes of one class that have no theme (CauseTheme).
IdleLoss SumIdle(const FindingContext& input, StepTimeClass loss, double threshold);

// A part of a title: ", 61 % of it in aten::index"; empty if the cause has no name or is small.
std::string InCause(const IdleLoss& loss);
// A finding that measures and saves the loss.
RuleFinding FindingOfLoss(const FindingContext& input, const IdleLoss& loss, std::string title,
                          const std::string& assumption);

}  // namespace stepscope
