// Commands about one event: selecting it, and going on from it.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
namespace {

HighlightedEvents::StartOf StartIn(const C& c) {
  return [&c](const EventRef& event) { return c.RangeOf(event).begin; };
}

template <int direction>
void StepShown(C& c, const A&) {
  c.Reveal(c.view.shown.Step(direction, StartIn(c)));
  Say(c, "Event " + GroupDigits(c.view.shown.at() + 1) + " of " + GroupDigits(c.view.shown.size()));
}

template <int direction>
void SameName(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = NextSameName(*set, c.view.selected.row, direction);
  if (row.valid()) c.Reveal({c.view.selected.trace, c.view.selected.set, row});
}

template <int direction>
void Neighbour(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const Lane& lane = set->lanes[set->LaneOf(c.view.selected.row).value];
  const int64_t i = int64_t{c.view.selected.row.value} - lane.first_row + direction;
  if (i < 0 || i >= int64_t{lane.size()}) return;
  c.Reveal({c.view.selected.trace, c.view.selected.set,
            EventRow(lane.first_row + static_cast<uint32_t>(i))});
}

void Select(C& c, const A& a) {
  c.view.selected = c.Set(a.event) != nullptr ? a.event : EventRef{};
  if (!c.view.selected.valid()) return;
  c.view.active = a.event.trace;
  Request(c, RaisePanel{"details"});
}

void Reveal(C& c, const A& a) { c.Reveal(a.event); }
void ShowEvents(C& c, const A& a) {
  c.view.shown.Set(a.events);
  if (a.events.empty()) return;
  c.ShowTracksOf(a.events);
  c.Reveal(c.view.shown.Earliest(StartIn(c)));
  const size_t n = a.events.size();
  const auto total = static_cast<uint64_t>(std::max<int64_t>(a.total, 0));
  const std::string of = total <= n ? std::string() : " of " + GroupDigits(total);
  if (n > 1) Say(c, GroupDigits(n) + of + " events shown; N and Shift+N go through them");
}

void SelectParent(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = Parent(*set, c.view.selected.row);
  if (row.valid()) c.Reveal({c.view.selected.trace, c.view.selected.set, row});
}

std::span<const FlowArrow> Arrows(const C& c, bool forward) {
  const Profile* profile = FindProfile(c.profiles, c.view.selected.trace);
  const EventRow row = profile != nullptr ? profile->OwnRow(c.view.selected) : EventRow();
  if (!row.valid() || !profile->flows) return {};
  return forward ? profile->flows->From(row) : profile->flows->To(row);
}

template <bool forward>
void Follow(C& c, const A&) {
  const std::span<const FlowArrow> arrows = Arrows(c, forward);
  if (arrows.empty()) return;
  const uint32_t to = forward ? arrows.front().to : arrows.front().from;
  if (arrows.size() > 1) {
    Say(c, "The first of " + GroupDigits(arrows.size()) + " arrows; the Details panel has them");
  }
  c.Reveal({c.view.selected.trace, 0, EventRow(to)});
}

bool HasFlows(const C& c) { return !Arrows(c, true).empty() || !Arrows(c, false).empty(); }

void FirstChild(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const std::vector<EventRow> children = Children(*set, c.view.selected.row);
  if (!children.empty()) c.Reveal({c.view.selected.trace, c.view.selected.set, children.front()});
}

constexpr CommandDesc kEvent[] = {
    {"select.event", "Select event", "", "Selects an event, or clears the selection.", "", "",
     Always, Select},
    {"select.reveal", "Go to event", "", "Selects an event and moves it into view.", "", "", Always,
     Reveal},
    {"select.show_events", "Show events on the timeline", "",
     "Highlights events and dims the rest.", "", "", Always, ShowEvents, nullptr, &A::total},
    {"select.next_shown", "Next shown event", "Go",
     "Goes to the next of the events that a table shows on the timeline.", "step highlight", "N",
     HasShown, StepShown<1>},
    {"select.previous_shown", "Previous shown event", "Go",
     "Goes to the previous of the events that a table shows on the timeline.", "step highlight",
     "Shift+N", HasShown, StepShown<-1>},
    {"select.next", "Next event", "Go", "Selects the next event of the row.", "", ".", HasSelection,
     Neighbour<1>},
    {"select.previous", "Previous event", "Go", "Selects the previous event of the row.", "", ",",
     HasSelection, Neighbour<-1>},
    {"select.next_same", "Next of the same name", "Go",
     "Selects the next event of the same name on the track.", "", "]", HasSelection, SameName<1>},
    {"select.previous_same", "Previous of the same name", "Go",
     "Selects the previous event of the same name on the track.", "", "[", HasSelection,
     SameName<-1>},
    {"select.parent", "Enclosing event", "Go", "Selects the event around the selected one.",
     "parent caller", "P", HasSelection, SelectParent},
    {"select.child", "First event inside", "Go", "Selects the first event inside the selected one.",
     "child callee", "Shift+P", HasSelection, FirstChild},
    {"select.flow_next", "What it leads to", "Go",
     "Follows an arrow from the selected event: from a launch to its kernel.",
     "flow launch kernel correlation arrow", "O", HasFlows, Follow<true>},
    {"select.flow_previous", "What led to it", "Go",
     "Follows an arrow back from the selected event: from a kernel to its launch.",
     "flow launch cause correlation arrow", "I", HasFlows, Follow<false>},
};

}  // namespace

std::span<const CommandDesc> EventCommands() { return kEvent; }

}  // namespace stepscope::commands
