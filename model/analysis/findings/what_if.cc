#include "model/analysis/findings/what_if.h"

#include <algorithm>

#include "model/analysis/steps/losses.h"

namespace stepscope {
namespace {

struct Change {
  StepTimeClass loss;
  const char* label;
  const char* assumption;
};

constexpr Change kChanges[] = {
    {StepTimeClass::kInput, "No waits for input", "input is ready whenever a step begins"},
    {StepTimeClass::kSync, "No blocking calls",
     "the host has launched the next kernels when the device is done"},
    {StepTimeClass::kCompile, "No compilation", "the program has warmed up"},
    {StepTimeClass::kLaunch, "No waits for launches", "launches are always ahead of the device"},
    {StepTimeClass::kQueued, "No gaps before work in the queue",
     "the device starts launched work at once"},
    {StepTimeClass::kHost, "No host work inside the step",
     "it is compiled, or hidden behind the device"},
    {StepTimeClass::kBetweenSteps, "No work between steps", "it is done on another thread"},
    {StepTimeClass::kUnknown, "No idle time without a recorded cause",
     "whatever it is, it is gone"},
    {StepTimeClass::kHostToDevice, "Copies to the device hidden", "kernels run meanwhile"},
    {StepTimeClass::kDeviceToHost, "Copies to the host hidden", "kernels run meanwhile"},
    {StepTimeClass::kDeviceToDevice, "Copies on devices hidden", "kernels run meanwhile"},
    {StepTimeClass::kCollective, "Collectives hidden",
     "kernels that do not need the result run meanwhile"},
    {StepTimeClass::kCollectiveWait, "No waiting for participants",
     "all devices reach their collectives together; of the device that waits longest in each step"},
};

}  // namespace

ResultTable WhatIfTable(const FindingContext& input) {
  using V = ValueType;
  ResultTable t{
      "what_if",
      "What if a loss were gone",
      {{"class", "Class", Unit::kNone, V::kString, "as in the overview's `idle_causes`"},
       {"change", "What if", Unit::kNone, V::kString, "", true},
       {"saving_ms_per_step", "Saving per step", Unit::kMs, V::kReal,
        "the class's time in an average step; classes exclude each other, so that savings "
        "add up, but for waiting for participants"},
       {"step_ms", "Step then", Unit::kMs, V::kReal, "step time - saving", true},
       {"percent", "Saved", Unit::kPercent, V::kReal, "of the step"},
       {"assumption", "Assumption", Unit::kNone, V::kString, ""}}};
  std::vector<std::pair<double, const Change*>> changes;
  for (const Change& change : kChanges) {
    const bool wait = change.loss == StepTimeClass::kCollectiveWait;
    const double ms = wait ? input.LongestWaitMs() : input.LossMs(change.loss);
    if (ms > 0) changes.emplace_back(std::min(ms, input.step_ms()), &change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  t.readable_column = 0;
  for (const auto& [ms, change] : changes) {
    t.readable.emplace_back(SharedText(LabelOf(change->loss)));
    t.AddRow({SharedText(IdOf(change->loss)), SharedText(change->label), ms, input.step_ms() - ms,
              input.PercentOfStep(ms), SharedText(change->assumption)});
  }
  return t;
}

}  // namespace stepscope
