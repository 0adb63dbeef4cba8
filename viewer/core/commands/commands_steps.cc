// Commands about steps: going to one, and the critical path of one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
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

// Commands that limit the panels to a range of time.
namespace {

// The part of a shared range inside a filter; empty if they do not overlap.
TimeRange Inside(TimeRange range, TimeRange filter) {
  if (filter.empty()) return range;
  return {std::max(range.begin, filter.begin), std::min(range.end, filter.end)};
}

// Limits panels further. A range outside the current filter replaces it, or nothing would be left.
void PushFilter(C& c, TimeRange shared, std::string label) {
  const TimeRange inside = Inside(shared, c.view.Filter());
  if (inside.empty()) c.view.filters.clear();
  const TimeRange range = inside.empty() ? shared : inside;
  if (range.empty() || range == c.view.Filter()) return;
  Say(c, "Panels show " + label + " only");
  c.view.filters.push_back({range, std::move(label)});
}

void FilterTo(C& c, TimeRange range, ProfileId profile, std::string label) {
  const ProfileViewState* state = c.StateOf(profile);
  if (state == nullptr || range.empty()) return;
  if (label.empty()) label = FormatDuration(range.length(), 4);
  PushFilter(c, state->map.ToShared(range), std::move(label));
}

bool HasFilter(const C& c) { return !c.view.filters.empty(); }

void FilterRange(C& c, const A& a) { FilterTo(c, a.range, a.profile, a.text); }

void FilterVisible(C& c, const A& a) { FilterTo(c, c.Visible(a.profile), a.profile, {}); }

// The step that fills the view, as the commands that go to a step show it; null if there is none.
const StepMarker* StepThatFills(const Profile& profile, TimeRange view) {
  constexpr Ps kTenths = 9;  // of the view that a step has to fill
  for (const StepMarker& step : profile.Steps()) {
    const TimeRange range = step.range;
    if (range.begin < view.begin || range.end > view.end) continue;
    if (range.length() / kTenths >= view.length() / 10) return &step;
  }
  return nullptr;
}

// "step 3"; a label that is no number, such as "ProfilerStep#3", stands alone.
std::string StepWords(const StepMarker& step) {
  const bool bare = step.label.find_first_not_of("0123456789") == std::string::npos;
  return bare ? "step " + step.label : step.label;
}

// Limits panels to the measured range, else to the selected event, else to the step that fills the
// view, else to what is in sight.
void FilterHere(C& c, const A& a) {
  if (!c.view.measured.empty()) {
    FilterTo(c, c.view.MeasuredIn(c.view.active), {}, {});
  } else if (const TimeRange event = c.RangeOf(c.view.selected); !event.empty()) {
    const std::string name(c.Set(c.view.selected)->Name(c.view.selected.row));
    FilterTo(c, event, c.view.selected.trace, name.substr(0, 60));
  } else {
    const Profile* profile = c.ProfileOf(a.profile);
    const StepMarker* step =
        profile != nullptr ? StepThatFills(*profile, c.Visible(a.profile)) : nullptr;
    if (step == nullptr) return FilterVisible(c, a);
    FilterTo(c, step->range, a.profile, StepWords(*step));
  }
}

// Limits panels to the time from the begin of the first of these steps to the end of the last.
void FilterSteps(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  const std::optional<StepInterval> steps = ParseStepText(a.text);
  if (profile == nullptr || !steps) return;
  TimeRange range{kMaxPs, kMinPs};
  for (const StepMarker& step : profile->Steps()) {
    if (!steps->Contains(step.number)) continue;
    range.begin = std::min(range.begin, step.range.begin);
    range.end = std::max(range.end, step.range.end);
  }
  if (range.empty()) {
    Say(c, "There is no step " + a.text);
    return;
  }
  const std::string what = steps->first == steps->last ? "step " : "steps ";
  FilterTo(c, range, a.profile, what + a.text);
}

void PopFilter(C& c, const A&) {
  if (!c.view.filters.empty()) c.view.filters.pop_back();
}

void ClearFilters(C& c, const A&) { c.view.filters.clear(); }

constexpr CommandDesc kFilter[] = {
    {"filter.here", "Limit panels to this", "Tools",
     "Limits all panels to the measured range, else to the selected event, else to the step that "
     "fills the view, else to what is visible.",
     "restrict range filter", "L", HasEvents, FilterHere},
    {"filter.visible", "Limit panels to the view", "Tools",
     "Limits all panels to the visible part of the timeline.", "restrict range filter", "",
     HasEvents, FilterVisible},
    {"filter.range", "Limit panels to a range", "", "Limits all panels to a range of time.", "", "",
     HasEvents, FilterRange},
    {"filter.steps", "Limit panels to steps", "", "Limits all panels to some steps: 5, or 3..7.",
     "", "", HasSteps, FilterSteps},
    {"filter.pop", "Remove the last limit", "Tools",
     "Removes the last limit of the panels and keeps the others.", "widen unfilter", "Shift+L",
     HasFilter, PopFilter},
    {"filter.clear", "Remove all limits", "Tools",
     "Removes all limits: panels show the whole profile.", "everything unfilter reset", "",
     HasFilter, ClearFilters},
};

}  // namespace

std::span<const CommandDesc> FilterCommands() { return kFilter; }

// Commands of markers.
namespace {

constexpr size_t kMostMarkers = 10'000;
constexpr size_t kLongestName = 400;

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char ch) { return static_cast<unsigned char>(ch) < ' '; }, ' ');
  if (text.size() > kLongestName) text.resize(kLongestName);
  return text;
}

// Returns the range to mark when none is given: the measured range, else the time under the mouse,
// else the selected event, else the middle of the view.
TimeRange WhatToMark(const C& c) {
  const TimeRange measured = c.view.MeasuredIn(c.view.active);
  if (!measured.empty()) return measured;
  if (c.timeline.cursor_valid) return {c.timeline.cursor, c.timeline.cursor};
  if (c.view.selected.valid() && c.view.selected.trace == c.view.active)
    return c.RangeOf(c.view.selected);
  const TimeRange view = c.Visible();
  const Ps middle = view.begin + view.length() / 2;
  return {middle, middle};
}

// The marker that the command means; null if there is none.
Marker* MarkerOf(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr || a.marker < 0) return nullptr;
  const auto i = static_cast<size_t>(a.marker);
  return i < state->markers.size() ? &state->markers[i] : nullptr;
}

void SortByBegin(std::vector<Marker>* markers) {
  std::stable_sort(markers->begin(), markers->end(),
                   [](const Marker& x, const Marker& y) { return x.range.begin < y.range.begin; });
}

// Moves the marker to the middle of the view at the same zoom. A marker longer than the view is
// shown whole.
void ShowMarker(C& c, ProfileId profile, const Marker& marker) {
  const TimeRange view = c.Visible(profile);
  if (marker.range.length() > view.length()) {
    c.ZoomTo(marker.range, false, profile);
    return;
  }
  const Ps middle = marker.range.begin + marker.range.length() / 2, half = view.length() / 2;
  c.SetVisible({SaturatingSub(middle, half), SaturatingAdd(middle, view.length() - half)}, profile);
}

template <int direction>
void StepMarkerBy(C& c, const A& a) {
  const ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr || state->markers.empty()) return;
  const TimeRange view = c.Visible(a.profile);
  const Ps middle = view.begin + view.length() / 2;
  const Marker* best = nullptr;
  for (const Marker& marker : state->markers) {
    const Ps at = marker.range.begin + marker.range.length() / 2;
    // Rounding by half a picosecond must not lead to the marker that the view shows.
    const bool beyond = direction > 0 ? at > middle + 1 : at < middle - 1;
    if (!beyond) continue;
    best = &marker;
    if (direction > 0) break;
  }
  if (best == nullptr) best = direction > 0 ? &state->markers.front() : &state->markers.back();
  if (!best->name.empty()) Say(c, best->name);
  ShowMarker(c, a.profile, *best);
}

bool HasMarkers(const C& c) { return c.StateOf() != nullptr && !c.StateOf()->markers.empty(); }

void AddMarker(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr || state->markers.size() >= kMostMarkers) return;
  Marker marker;
  const bool given = !a.range.empty() || a.range.begin != 0;
  marker.range = given ? a.range : WhatToMark(c);
  marker.name = OneLine(a.text);
  // The markers added before and after it get other colours.
  marker.color = static_cast<uint32_t>(state->markers.size()) % kMarkerColors;
  state->markers.push_back(std::move(marker));
  SortByBegin(&state->markers);
  Say(c, "Marked; the Markers panel names it");
}

void RemoveMarker(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (const Marker* marker = MarkerOf(c, a))
    state->markers.erase(state->markers.begin() + (marker - state->markers.data()));
}

void RenameMarker(C& c, const A& a) {
  if (Marker* marker = MarkerOf(c, a)) marker->name = OneLine(a.text);
}

void ColorMarker(C& c, const A& a) {
  if (Marker* marker = MarkerOf(c, a)) marker->color = (marker->color + 1) % kMarkerColors;
}

constexpr CommandDesc kMarker[] = {
    {"mark.add", "Add marker", "Tools",
     "Adds a marker at the measured range, else at the time under the mouse, else at the "
     "selected event.",
     "note bookmark annotate remember", "Shift+M", HasEvents, AddMarker},
    {"mark.remove", "Remove marker", "", "Removes the marker with this number.", "", "", HasMarkers,
     RemoveMarker, nullptr, &A::marker},
    {"mark.rename", "Name marker", "", "Names the marker with this number.", "", "", HasMarkers,
     RenameMarker, nullptr, &A::marker},
    {"mark.color", "Colour marker", "", "Gives the marker with this number the next colour.", "",
     "", HasMarkers, ColorMarker, nullptr, &A::marker},
    {"mark.next", "Next marker", "Go", "Shows the next marker.", "bookmark", "Ctrl+Right",
     HasMarkers, StepMarkerBy<1>},
    {"mark.previous", "Previous marker", "Go", "Shows the previous marker.", "bookmark",
     "Ctrl+Left", HasMarkers, StepMarkerBy<-1>},
};

}  // namespace

std::span<const CommandDesc> MarkerCommands() { return kMarker; }

}  // namespace stepscope::commands
