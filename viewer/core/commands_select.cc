// Commands of selections: several events, and what is linked to the selected one.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/analysis/flow_index.h"
#include "model/base/counted.h"
#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/hits_in_time.h"
#include "viewer/core/shown_events.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

std::span<const FlowArrow> Arrows(const C& c, bool forward) {
  const Run* run = FindRun(c.runs, c.view.selected.trace);
  const EventRow row = run != nullptr ? run->OwnRow(c.view.selected) : EventRow();
  if (!row.valid() || !run->flows) return {};
  return forward ? run->flows->From(row) : run->flows->To(row);
}

void Follow(C& c, bool forward) {
  const std::span<const FlowArrow> arrows = Arrows(c, forward);
  if (arrows.empty()) return;
  const uint32_t to = forward ? arrows.front().to : arrows.front().from;
  if (arrows.size() > 1) {
    Say(c, "The first of " + GroupDigits(arrows.size()) + " arrows; the Details panel has them");
  }
  c.Reveal({c.view.selected.trace, 0, EventRow(to)});
}

}  // namespace

void SelectEvents(C& c, const A& a) {
  c.view.shown.Set(a.events);
  if (a.events.empty()) return;
  c.view.active = a.events.front().trace;
  c.view.selected = {};
  Say(c, Counted(a.events.size(), "events") + " selected; the Selection panel adds them up");
}

void ToggleEvent(C& c, const A& a) {
  if (c.Set(a.event) == nullptr) return;
  std::vector<EventRef> events = c.view.shown.events();
  // The event that was clicked first, without a key held, is one of them.
  if (events.empty() && c.view.selected.valid() && !(c.view.selected == a.event))
    events.push_back(c.view.selected);
  const auto found = std::find(events.begin(), events.end(), a.event);
  if (found == events.end()) {
    events.push_back(a.event);
  } else {
    events.erase(found);
  }
  c.view.shown.Set(std::move(events));
  c.view.selected = a.event;
  c.view.active = a.event.trace;
}

bool HasHits(const C& c) { return c.search.hits().count > 0; }

void SelectHits(C& c, const A&) {
  A all;
  all.events = HitsInTime(c.search.hits().rows, c.runs).Earliest(kMaxShownEvents);
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
  A measured;
  measured.range = all;
  if (!all.empty()) SetMeasured(c, measured);
}

bool HasFlows(const C& c) { return !Arrows(c, true).empty() || !Arrows(c, false).empty(); }
void NextFlow(C& c, const A&) { Follow(c, true); }
void PreviousFlow(C& c, const A&) { Follow(c, false); }

void FirstChild(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const std::vector<EventRow> children = Children(*set, c.view.selected.row);
  if (!children.empty()) c.Reveal({c.view.selected.trace, c.view.selected.set, children.front()});
}

}  // namespace stepscope::actions
