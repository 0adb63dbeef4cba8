// The verdict: what a step's time is lost to, in one sentence (docs/rules.md#verdict), and the
// losses by size. Pure functions of the steps.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Losses that one remedy is for: copies of all directions are one.
struct Loss {
  std::string id;         // "input", "copies"; "device": compute
  std::string label;      // "Waiting for input"
  double ps = 0;          // of an average step that counts
  double percent = 0;     // of the step time
  double of_waiting = 0;  // the same where all devices wait; of those that wait for another one
  std::string causes;  // "aten::index 61 %, aten::copy_ 12 %": by share of the loss; may be empty
  RowLink link;
};

struct Verdict {
  std::string id = "unknown";  // id of the loss that leads, or "too_little"
  double percent = 0;
  Finding finding;           // the sentence, how bad it is, and what to do
  std::vector<Loss> losses;  // by size, compute aside; none of 0
};

// `whole`: the one step of `db` is the span of all device events, for want of steps.
Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole);

// What a step on a device goes into, ps by LossClass; of steps that were not divided (TPUs, steps
// that overlap) what their nine classes tell.
std::array<double, kLossClasses> LossesOf(const Step& step);

// The groups that a step's time is divided into: what the device does, then the losses of a
// verdict.
struct LossGroup {
  const char* id;     // "device", "input"
  const char* label;  // "Compute", "Waiting for input"
};
std::vector<LossGroup> LossGroups();
std::vector<double> GroupedLosses(const Step& step);  // ps, by LossGroups(); sums to the step

// An event as causes name it: a Python function as NAME (FILE:LINE), without the folders.
std::string CauseName(std::string_view event);
std::string CauseName(const Trace& trace, const IdleCause& cause);

}  // namespace stepscope
