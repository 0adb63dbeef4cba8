// Commands about steps: going to one, and the critical path of one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/analysis/params.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/profiles/step_markers.h"

namespace stepscope::commands {
namespace {

void ShowStep(C& c, ProfileId profile, TimeRange step) {
  const Ps margin = std::max<Ps>(step.length() / 20, 1);
  c.SetVisible({SaturatingSub(step.begin, margin), SaturatingAdd(step.end, margin)}, profile);
}

template <int direction>
void StepBy(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr || profile->Steps().empty()) return;
  const std::span<const StepMarker> steps = profile->Steps();
  const TimeRange view = c.Visible(a.profile);
  const Ps middle = view.begin + view.length() / 2;
  const auto after =
      std::partition_point(steps.begin(), steps.end(),
                           [middle](const StepMarker& s) { return s.range.begin <= middle; });
  int64_t i = (after - steps.begin()) - 1 + direction;
  i = std::clamp<int64_t>(i, 0, static_cast<int64_t>(steps.size()) - 1);
  ShowStep(c, a.profile, steps[static_cast<size_t>(i)].range);
}

void ShowNamed(C& c, const A& a, const StepMarker* step, const char* what) {
  if (step == nullptr) return;
  ShowStep(c, a.profile, step->range);
  Say(c, fmt::format("{}: {}, {}", what, step->label, FormatDuration(step->length(), 4)));
}

// Returns the profile's counted steps by length, or all steps if none count.
std::vector<const StepMarker*> StepsByLength(const Profile& profile) {
  std::vector<const StepMarker*> steps;
  for (const StepMarker& step : profile.Steps()) {
    if (step.counts) steps.push_back(&step);
  }
  if (steps.empty()) {
    for (const StepMarker& step : profile.Steps()) steps.push_back(&step);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const StepMarker* x, const StepMarker* y) {
    return x->length() < y->length();
  });
  return steps;
}

void GoToStep(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  const std::optional<StepInterval> steps = ParseStepText(a.text);
  if (profile == nullptr || !steps) return;
  for (const StepMarker& step : profile->Steps()) {
    if (step.number != steps->first) continue;
    ShowStep(c, a.profile, step.range);
    return;
  }
  Say(c, "There is no step " + a.text);
}

void TypicalStep(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  const auto steps = StepsByLength(*profile);
  ShowNamed(c, a, steps.empty() ? nullptr : steps[(steps.size() - 1) / 2], "Typical step");
}

void WorstStep(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  const auto steps = StepsByLength(*profile);
  ShowNamed(c, a, steps.empty() ? nullptr : steps.back(), "Longest step");
}

bool HasArrows(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->flows != nullptr && profile->flows->size() > 0;
}

// Returns the step of median length among those inside the view. With fewer than two there: the
// step that overlaps the view most, else the view.
TimeRange StepInSight(const Profile& profile, TimeRange view) {
  std::vector<TimeRange> whole;
  TimeRange best = view;
  Ps most = 0;
  for (const StepMarker& step : profile.Steps()) {
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

bool PathOn(const C& c) { return !c.windows.path.range.empty(); }
void ShowPath(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  PathShown& path = c.windows.path;
  if (a.range.empty() && path.profile == profile->id && !path.range.empty()) {
    path = {};
    c.view.shown.Set({});
    return;
  }
  c.view.active = profile->id;
  path = {profile->id, a.range.empty() ? StepInSight(*profile, c.Visible(profile->id)) : a.range};
  // A step that is small in the view comes closer.
  if (path.range.length() < c.Visible(profile->id).length() / 2)
    ShowStep(c, profile->id, path.range);
}

constexpr CommandDesc kPath[] = {
    {"path.show", "Critical path", "Tools",
     "Shows or hides what the visible step waited for, event by event: work of the device, "
     "launches, the host.",
     "chain slow why dependencies what if", "", HasArrows, ShowPath, PathOn},
};

constexpr CommandDesc kStep[] = {
    {"go.next_step", "Next step", "Go", "Shows the next step.", "iteration", "Shift+Right",
     HasEvents, StepBy<1>},
    {"go.previous_step", "Previous step", "Go", "Shows the previous step.", "iteration",
     "Shift+Left", HasEvents, StepBy<-1>},
    {"go.step", "Go to step", "", "Shows the step with this number.", "iteration", "", HasSteps,
     GoToStep},
    {"go.typical_step", "Typical step", "Go", "Shows the step of median length.",
     "iteration median average representative", "", HasSteps, TypicalStep},
    {"go.worst_step", "Longest step", "Go", "Shows the step that took longest.",
     "iteration slowest outlier maximum", "", HasSteps, WorstStep},
};

}  // namespace

std::span<const CommandDesc> PathCommands() { return kPath; }
std::span<const CommandDesc> StepCommands() { return kStep; }

}  // namespace stepscope::commands
