// Sums of idle time by cause, for the rules about devices that wait.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/analysis/findings/input.h"

namespace stepscope {

struct IdleLoss {
  double ms = 0, percent = 0;    // of an average step, mean over devices
  std::string cause;             // the largest by name; empty: none has one
  double cause_percent = 0;      // of the loss
  std::string causes;            // the three largest: "aten::index 61 %, aten::copy_ 12 %"
  std::vector<PlaneId> devices;  // that have half the threshold and more, else all, by name
  std::vector<uint32_t> steps;   // that have the threshold and more
  RowLink link;                  // what the host was in; the longest interval
};

// Of the causes that are wanted. `every_step`: over all steps, those that do not count too.
// O(causes).
IdleLoss SumIdle(const FindingInput& input, const std::function<bool(const IdleCause&)>& wanted,
                 double threshold, bool every_step = false);
// Of one class, without what has a theme of its own.
IdleLoss SumIdle(const FindingInput& input, LossClass loss, double threshold);

// ", 61 % of it in aten::index"; empty where the cause has no name or is small.
std::string InCause(const IdleLoss& loss);
// A finding with the loss as what is measured and as what is saved.
Found FoundLoss(const FindingInput& input, const IdleLoss& loss, std::string title,
                const std::string& assumption);

}  // namespace stepscope
