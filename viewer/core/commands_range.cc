// Commands of ranges of time: what is measured, what panels are limited to, steps.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/flow_index.h"
#include "model/analysis/params.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/step_markers.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

void ShowStep(C& c, TraceId run, TimeRange step) {
  const Ps margin = std::max<Ps>(step.length() / 20, 1);
  c.SetVisible({SaturatingSub(step.begin, margin), SaturatingAdd(step.end, margin)}, run);
}

void StepBy(C& c, const A& a, int direction) {
  const Run* run = c.RunOf(a.run);
  if (run == nullptr || run->Steps().empty()) return;
  const std::span<const StepMarker> steps = run->Steps();
  const TimeRange view = c.Visible(a.run);
  const Ps middle = view.begin + view.length() / 2;
  const auto after =
      std::partition_point(steps.begin(), steps.end(),
                           [middle](const StepMarker& s) { return s.range.begin <= middle; });
  int64_t i = (after - steps.begin()) - 1 + direction;
  i = std::clamp<int64_t>(i, 0, static_cast<int64_t>(steps.size()) - 1);
  ShowStep(c, a.run, steps[static_cast<size_t>(i)].range);
}

void ShowNamed(C& c, const A& a, const StepMarker* step, const char* what) {
  if (step == nullptr) return;
  ShowStep(c, a.run, step->range);
  Say(c, fmt::format("{}: {}, {}", what, step->label, FormatDuration(step->length(), 4)));
}

// Of the run, by length; those that count, or all where none does.
std::vector<const StepMarker*> StepsByLength(const Run& run) {
  std::vector<const StepMarker*> steps;
  for (const StepMarker& step : run.Steps()) {
    if (step.counts) steps.push_back(&step);
  }
  if (steps.empty()) {
    for (const StepMarker& step : run.Steps()) steps.push_back(&step);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const StepMarker* x, const StepMarker* y) {
    return x->length() < y->length();
  });
  return steps;
}

// "3..7", or "5" alone.
std::optional<StepInterval> StepsIn(std::string_view text) {
  int64_t only = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, only);
  if (read.ec == std::errc() && read.ptr == end) return StepInterval{only, only};
  return ParseSteps(text);
}

// What a shared range is inside a filter; empty if nothing of it is.
TimeRange Inside(TimeRange range, TimeRange filter) {
  if (filter.empty()) return range;
  return {std::max(range.begin, filter.begin), std::min(range.end, filter.end)};
}

// A range outside of the filter that there is takes its place: nothing would be left otherwise.
void PushFilter(C& c, TimeRange shared, std::string label) {
  const TimeRange inside = Inside(shared, c.view.Filter());
  if (inside.empty()) c.view.filters.clear();
  const TimeRange range = inside.empty() ? shared : inside;
  if (range.empty() || range == c.view.Filter()) return;
  Say(c, "Panels show " + label + " only");
  c.view.filters.push_back({range, std::move(label)});
}

void FilterTo(C& c, TimeRange range, TraceId run, std::string label) {
  const RunState* state = c.StateOf(run);
  if (state == nullptr || range.empty()) return;
  if (label.empty()) label = FormatDuration(range.length(), 4);
  PushFilter(c, state->map.ToShared(range), std::move(label));
}

}  // namespace

// --- Measured
void SetMeasured(C& c, const A& a) {
  const RunState* state = c.StateOf(a.run);
  c.view.measured = state != nullptr ? state->map.ToShared(a.range) : TimeRange{};
}

void MeasureSelection(C& c, const A&) {
  A measured;
  measured.range = c.RangeOf(c.view.selected);
  measured.run = c.view.selected.trace;
  SetMeasured(c, measured);
}

// --- Limited
bool HasFilter(const C& c) { return !c.view.filters.empty(); }

void FilterRange(C& c, const A& a) { FilterTo(c, a.range, a.run, a.text); }

// The measured range, else the selected event, else what is in sight.
void FilterHere(C& c, const A& a) {
  if (!c.view.measured.empty()) {
    FilterTo(c, c.view.MeasuredIn(c.view.active), {}, {});
  } else if (const TimeRange event = c.RangeOf(c.view.selected); !event.empty()) {
    const std::string name(c.Set(c.view.selected)->Name(c.view.selected.row));
    FilterTo(c, event, c.view.selected.trace, name.substr(0, 60));
  } else {
    FilterVisible(c, a);
  }
}

void FilterVisible(C& c, const A& a) { FilterTo(c, c.Visible(a.run), a.run, {}); }

// From the begin of the first of these steps to the end of the last.
void FilterSteps(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  const std::optional<StepInterval> steps = StepsIn(a.text);
  if (run == nullptr || !steps) return;
  TimeRange range{kMaxPs, kMinPs};
  for (const StepMarker& step : run->Steps()) {
    if (!steps->Contains(step.number)) continue;
    range.begin = std::min(range.begin, step.range.begin);
    range.end = std::max(range.end, step.range.end);
  }
  if (range.empty()) {
    Say(c, "There is no step " + a.text);
    return;
  }
  const std::string what = steps->first == steps->last ? "step " : "steps ";
  FilterTo(c, range, a.run, what + a.text);
}

void PopFilter(C& c, const A&) {
  if (!c.view.filters.empty()) c.view.filters.pop_back();
}

void ClearFilters(C& c, const A&) { c.view.filters.clear(); }

// --- Steps
bool HasSteps(const C& c) { return c.RunOf() != nullptr && !c.RunOf()->Steps().empty(); }

void NextStep(C& c, const A& a) { StepBy(c, a, 1); }
void PreviousStep(C& c, const A& a) { StepBy(c, a, -1); }

void GoToStep(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  const std::optional<StepInterval> steps = StepsIn(a.text);
  if (run == nullptr || !steps) return;
  for (const StepMarker& step : run->Steps()) {
    if (step.number != steps->first) continue;
    ShowStep(c, a.run, step.range);
    return;
  }
  Say(c, "There is no step " + a.text);
}

void TypicalStep(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  if (run == nullptr) return;
  const auto steps = StepsByLength(*run);
  ShowNamed(c, a, steps.empty() ? nullptr : steps[(steps.size() - 1) / 2], "Typical step");
}

void WorstStep(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  if (run == nullptr) return;
  const auto steps = StepsByLength(*run);
  ShowNamed(c, a, steps.empty() ? nullptr : steps.back(), "Longest step");
}

// --- What a step waited for
bool HasArrows(const C& c) {
  const Run* run = c.RunOf();
  return run != nullptr && run->flows != nullptr && run->flows->size() > 0;
}

namespace {

// Of those that lie in the view the one of median length, else the one that has most of the view,
// else the view.
TimeRange StepInSight(const Run& run, TimeRange view) {
  std::vector<TimeRange> whole;
  TimeRange best = view;
  Ps most = 0;
  for (const StepMarker& step : run.Steps()) {
    if (step.range.begin >= view.begin && step.range.end <= view.end && step.counts)
      whole.push_back(step.range);
    const Ps shared = std::min(step.range.end, view.end) - std::max(step.range.begin, view.begin);
    if (shared > most) most = shared, best = step.range;
  }
  if (whole.size() < 2) return best;
  const auto middle = whole.begin() + static_cast<ptrdiff_t>(whole.size() / 2);
  std::nth_element(whole.begin(), middle, whole.end(), [](const TimeRange& a, const TimeRange& b) {
    return std::pair(a.length(), a.begin) < std::pair(b.length(), b.begin);
  });
  return *middle;
}

}  // namespace

void ShowPath(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  if (run == nullptr) return;
  PathShown& path = c.windows.path;
  if (a.range.empty() && path.run == run->id && !path.range.empty()) {
    path = {};
    c.view.shown.Set({});
    return;
  }
  c.view.active = run->id;
  path = {run->id, a.range.empty() ? StepInSight(*run, c.Visible(run->id)) : a.range};
  // A step that is small in the view comes closer.
  if (path.range.length() < c.Visible(run->id).length() / 2) ShowStep(c, run->id, path.range);
}

}  // namespace stepscope::actions
