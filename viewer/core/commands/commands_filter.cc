// Commands that limit the panels to a range of time.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/analysis/params.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/profiles/step_markers.h"

namespace stepscope::commands {
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

// "step 3"; a label such as "ProfilerStep#3" says itself what it is.
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

}  // namespace stepscope::commands
