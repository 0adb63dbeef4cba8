// Commands of markers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
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
