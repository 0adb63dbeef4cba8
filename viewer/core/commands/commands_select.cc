// Commands about several events.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/count_text.h"
#include "model/base/digits.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/search/hits_in_time.h"
#include "viewer/core/state/highlighted_events.h"

namespace stepscope::commands {
namespace {

void SelectEvents(C& c, const A& a) {
  c.view.shown.Set(a.events);
  if (a.events.empty()) return;
  c.view.active = a.events.front().trace;
  c.view.selected = {};
  Request(c, RaisePanel{"selection"});
  const size_t own = c.view.shown.recorded();
  Say(c, (own > 0 ? Counted(own, "events") : Counted(a.events.size(), "derived rows")) +
             " selected; the Selection panel adds them up");
}

void ToggleEvent(C& c, const A& a) {
  if (c.Set(a.event) == nullptr) return;
  std::vector<EventRef> events = c.view.shown.events();
  // The event that was clicked first, without Ctrl, belongs to the selection.
  if (events.empty() && c.view.selected.valid() && !(c.view.selected == a.event))
    events.push_back(c.view.selected);
  const auto found = std::find(events.begin(), events.end(), a.event);
  if (found == events.end()) {
    events.push_back(a.event);
  } else {
    events.erase(found);
  }
  if (events.size() > 1) Request(c, RaisePanel{"selection"});
  c.view.shown.Set(std::move(events));
  c.view.selected = a.event;
  c.view.active = a.event.trace;
}

void SelectHits(C& c, const A&) {
  A all;
  all.events = HitsInTime(c.search.hits().counted, c.profiles).Earliest(kMaxHighlightedEvents);
  SelectEvents(c, all);
  const uint64_t found = c.search.hits().count;
  if (all.events.size() < found) {
    Say(c, "The first " + GroupDigits(all.events.size()) + " of " + Counted(found, "events") +
               " found are selected");
  }
}

void MeasureShown(C& c, const A&) {
  TimeRange all{kMaxPs, kMinPs};
  for (const EventRef& event : c.view.shown.events()) {
    if (event.trace != c.view.active) continue;
    const TimeRange range = c.RangeOf(event);
    all = {std::min(all.begin, range.begin), std::max(all.end, range.end)};
  }
  if (!all.empty()) c.SetMeasured(all);
}

constexpr CommandDesc kSelection[] = {
    {"select.events", "Select events", "", "Selects and highlights some events.", "", "", HasEvents,
     SelectEvents},
    {"select.toggle", "Add to the selection", "", "Adds an event to the selection, or removes it.",
     "", "", HasEvents, ToggleEvent},
    {"select.hits", "Select all hits", "Go", "Selects all events that the search has found.",
     "search statistics", "Ctrl+A", HasHits, SelectHits},
    {"measure.shown", "Measure selected events", "Tools",
     "Measures from the first begin to the last end of the selected events.", "range span", "",
     HasShown, MeasureShown},
};

}  // namespace

std::span<const CommandDesc> SelectionCommands() { return kSelection; }

}  // namespace stepscope::commands
