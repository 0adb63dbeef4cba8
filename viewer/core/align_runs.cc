#include "viewer/core/align_runs.h"

#include <algorithm>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {
namespace {

const StepMarker* Nearest(std::span<const StepMarker> steps, Ps near) {
  const StepMarker* best = nullptr;
  for (const StepMarker& step : steps) {
    if (step.range.begin > near && best != nullptr) break;
    best = &step;
  }
  return best;
}

const StepMarker* Numbered(std::span<const StepMarker> steps, int64_t number) {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [number](const StepMarker& s) { return s.number == number; });
  return found == steps.end() ? nullptr : &*found;
}

const StepMarker& FirstThatCounts(std::span<const StepMarker> steps) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [](const StepMarker& s) { return s.counts; });
  return found == steps.end() ? steps.front() : *found;
}

Ps MedianLength(std::span<const StepMarker> steps) {
  std::vector<Ps> lengths;
  for (const StepMarker& step : steps) {
    if (step.counts) lengths.push_back(step.range.length());
  }
  if (lengths.empty()) return steps.empty() ? 0 : steps.front().range.length();
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

const Run* ComparedRun(std::span<const Run> runs, const ViewState& view) {
  if (!view.baseline.valid() || FindRun(runs, view.baseline) == nullptr) return nullptr;
  if (view.active != view.baseline) return FindRun(runs, view.active);
  for (const Run& run : runs) {
    if (run.id != view.baseline) return &run;
  }
  return nullptr;
}

void AlignTimes(const RunState& baseline, Ps base, Ps own, RunState* state) {
  state->map.offset = 0;
  state->map.offset = SaturatingSub(baseline.map.ToShared(base), state->map.ToShared(own));
  state->aligned = true;
}

bool AlignBySteps(const Run& base, const RunState& baseline, Ps near, const Run& run,
                  RunState* state) {
  const std::span<const StepMarker> a = base.Steps(), b = run.Steps();
  if (a.empty() || b.empty()) return false;
  const StepMarker* of_base = Nearest(a, near);
  const StepMarker* of_run = of_base != nullptr ? Numbered(b, of_base->number) : nullptr;
  if (of_run == nullptr) {
    of_base = &FirstThatCounts(a);
    of_run = &FirstThatCounts(b);
  }
  AlignTimes(baseline, of_base->range.begin, of_run->range.begin, state);
  return true;
}

bool StretchToSteps(const Run& base, const RunState& baseline, const Run& run, RunState* state) {
  const Ps a = MedianLength(base.Steps()), b = MedianLength(run.Steps());
  if (a <= 0 || b <= 0) return false;
  state->map.shared = a;
  state->map.of_own = b;
  const Ps first = base.Steps().empty() ? 0 : base.Steps().front().range.begin;
  return AlignBySteps(base, baseline, first, run, state);
}

bool AreSnapshotAndTrace(const Run& a, const Run& b) {
  return a.trace && b.trace &&
         (a.trace->format == kMemorySnapshot) != (b.trace->format == kMemorySnapshot);
}

bool AlignByClock(const Run& base, const RunState& baseline, const Run& run, RunState* state) {
  if (!AreSnapshotAndTrace(base, run)) return false;
  const Trace &a = *base.trace, &b = *run.trace;
  if (a.origin_unix_ns == 0 || b.origin_unix_ns == 0) return false;
  // The time of the run at which the baseline's time is 0.
  const Ps own = SaturatingMul(SaturatingSub(a.origin_unix_ns, b.origin_unix_ns), kPsPerNs);
  const Ps begin = SaturatingAdd(a.span.begin, own), end = SaturatingAdd(a.span.end, own);
  if (begin >= b.span.end || end <= b.span.begin) return false;
  AlignTimes(baseline, 0, own, state);
  return true;
}

void AlignByItself(std::span<const Run> runs, ViewState* view) {
  const Run* base = FindRun(runs, view->baseline);
  const RunState* baseline = view->Find(view->baseline);
  if (base == nullptr || baseline == nullptr) return;
  for (const Run& run : runs) {
    RunState* state = view->Find(run.id);
    if (run.id == base->id || state == nullptr || state->aligned) continue;
    if (AlignByClock(*base, *baseline, run, state)) continue;
    if (base->Steps().empty() || run.Steps().empty()) continue;
    AlignTimes(*baseline, FirstThatCounts(base->Steps()).range.begin,
               FirstThatCounts(run.Steps()).range.begin, state);
  }
}

}  // namespace stepscope
