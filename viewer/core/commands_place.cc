// Commands of places: views to go back to, views as text, markers.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/core/command_actions.h"
#include "viewer/core/view_history.h"
#include "viewer/core/view_token.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

constexpr size_t kMostMarkers = 10'000;
constexpr size_t kLongestName = 400;

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char ch) { return static_cast<unsigned char>(ch) < ' '; }, ' ');
  if (text.size() > kLongestName) text.resize(kLongestName);
  return text;
}

// What is marked when no range is given: the measured range, else the time under the mouse, else
// the selected event, else the middle of the view.
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

// The marker that a command names by its number; null if there is none.
Marker* MarkerOf(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (state == nullptr || a.number < 0 || a.number >= static_cast<double>(state->markers.size()))
    return nullptr;
  return &state->markers[static_cast<size_t>(a.number)];
}

void SortByBegin(std::vector<Marker>* markers) {
  std::stable_sort(markers->begin(), markers->end(),
                   [](const Marker& x, const Marker& y) { return x.range.begin < y.range.begin; });
}

// Moves the view, at the same zoom, so that the marker is in the middle; one that is longer than
// the view is shown whole.
void ShowMarker(C& c, TraceId run, const Marker& marker) {
  const TimeRange view = c.Visible(run);
  if (marker.range.length() > view.length()) {
    c.ZoomTo(marker.range, false, run);
    return;
  }
  const Ps middle = marker.range.begin + marker.range.length() / 2, half = view.length() / 2;
  c.SetVisible({SaturatingSub(middle, half), SaturatingAdd(middle, view.length() - half)}, run);
}

void StepMarkerBy(C& c, const A& a, int direction) {
  const RunState* state = c.StateOf(a.run);
  if (state == nullptr || state->markers.empty()) return;
  const TimeRange view = c.Visible(a.run);
  const Ps middle = view.begin + view.length() / 2;
  const Marker* best = nullptr;
  for (const Marker& marker : state->markers) {
    const Ps at = marker.range.begin + marker.range.length() / 2;
    // Half a picosecond of rounding must not lead to the marker that the view shows.
    const bool beyond = direction > 0 ? at > middle + 1 : at < middle - 1;
    if (!beyond) continue;
    best = &marker;
    if (direction > 0) break;
  }
  if (best == nullptr) best = direction > 0 ? &state->markers.front() : &state->markers.back();
  if (!best->name.empty()) Say(c, best->name);
  ShowMarker(c, a.run, *best);
}

}  // namespace

// --- History
bool CanGoBack(const C& c) { return c.history.CanGoBack(); }
bool CanGoForward(const C& c) { return c.history.CanGoForward(); }
void GoBack(C& c, const A&) { c.history.Back(&c.view); }
void GoForward(C& c, const A&) { c.history.Forward(&c.view); }

// --- Views as text
void CopyViewToken(C& c, const A&) {
  const RunState* state = c.StateOf();
  if (state == nullptr) return;
  c.services.SetClipboard(TokenOf(c.view, *state));
  Say(c, "Copied: stepscope PATH --view opens here again");
}

void OpenViewToken(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  const std::optional<ViewPlace> place = ParseViewToken(a.text);
  if (state == nullptr) return;
  if (!place) {
    Say(c, "This is no view of Stepscope");
    return;
  }
  state->host = place->host;
  if (!place->visible.empty()) c.SetVisible(place->visible, a.run);
  c.view.measured = state->map.ToShared(place->measured);
  c.view.filters.clear();
  if (!place->filter.empty()) {
    c.view.filters.push_back(
        {state->map.ToShared(place->filter), FormatDuration(place->filter.length(), 4)});
  }
  c.view.scroll_y = place->scroll_y;
  EventRef event = place->selected;
  event.trace = state->run;
  c.view.selected = c.Set(event) != nullptr ? event : EventRef{};
  if (!place->panel.empty()) {
    A panel;
    panel.text = place->panel;
    FindCommand("panel.show")->apply(c, panel);
  }
}

// --- Markers
bool HasMarkers(const C& c) { return c.StateOf() != nullptr && !c.StateOf()->markers.empty(); }

void AddMarker(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (state == nullptr || state->markers.size() >= kMostMarkers) return;
  Marker marker;
  const bool given = !a.range.empty() || a.range.begin != 0;
  marker.range = given ? a.range : WhatToMark(c);
  marker.name = OneLine(a.text);
  // A colour that its neighbours do not have.
  marker.color = static_cast<uint32_t>(state->markers.size()) % kMarkerColors;
  state->markers.push_back(std::move(marker));
  SortByBegin(&state->markers);
  Say(c, "Marked; the Markers panel names it");
}

void RemoveMarker(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (const Marker* marker = MarkerOf(c, a))
    state->markers.erase(state->markers.begin() + (marker - state->markers.data()));
}

void RenameMarker(C& c, const A& a) {
  if (Marker* marker = MarkerOf(c, a)) marker->name = OneLine(a.text);
}

void ColorMarker(C& c, const A& a) {
  if (Marker* marker = MarkerOf(c, a)) marker->color = (marker->color + 1) % kMarkerColors;
}

void NextMarker(C& c, const A& a) { StepMarkerBy(c, a, 1); }
void PreviousMarker(C& c, const A& a) { StepMarkerBy(c, a, -1); }

}  // namespace stepscope::actions
