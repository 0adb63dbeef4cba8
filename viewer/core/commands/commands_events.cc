// Commands about one event: selecting it, and going on from it.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/search/highlight.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"

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
    {"select.flow_next", "Next event of the flow", "Go",
     "Follows an arrow from the selected event: from a launch to its kernel.",
     "flow launch kernel correlation arrow", "O", HasFlows, Follow<true>},
    {"select.flow_previous", "Previous event of the flow", "Go",
     "Follows an arrow back from the selected event: from a kernel to its launch.",
     "flow launch cause correlation arrow", "I", HasFlows, Follow<false>},
};

}  // namespace

std::span<const CommandDesc> EventCommands() { return kEvent; }

// Commands about several events.
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

// Commands of the search.
namespace {

template <int direction>
void StepSearch(C& c, const A&) {
  const EventRef hit = c.search.Step(c.view.selected, direction, c.profiles);
  if (hit.valid()) c.Reveal(hit);
}

void GoToSearch(C& c, const A& a) { Request(c, FocusSearch{a.text}); }
void SetSearch(C& c, const A& a) {
  if (!a.text.empty()) Request(c, RaisePanel{"selection"});
  c.search.Set(a.text, c.profiles);
}

constexpr CommandDesc kSearch[] = {
    {"search.focus", "Search events", "Go", "Goes to the search box.", "find", "/ | Ctrl+F",
     HasEvents, GoToSearch},
    {"search.set", "Search for", "",
     "Finds all events whose name contains a text; =text finds those with exactly this name.", "",
     "", Always, SetSearch},
    {"search.next", "Next hit", "Go", "Goes to the next event that was found.", "find",
     "F3 | Enter", HasHits, StepSearch<1>},
    {"search.previous", "Previous hit", "Go", "Goes to the previous event that was found.", "find",
     "Shift+F3 | Shift+Enter", HasHits, StepSearch<-1>},
};

}  // namespace

std::span<const CommandDesc> SearchCommands() { return kSearch; }

// Commands that clear the selection or search, and copy events.
namespace {

std::string NameOfSelection(const C& c) {
  const TrackSet* set = c.Set(c.view.selected);
  return set == nullptr ? std::string() : std::string(set->Name(c.view.selected.row));
}
// A duration with up to twelve digits, without zeros at the end: "434 µs".
std::string ExactDuration(Ps t) {
  std::string text = FormatDuration(t, 12);
  const size_t dot = text.find('.'), unit = text.find(' ');
  if (dot == std::string::npos || unit == std::string::npos || unit < dot) return text;
  size_t keep = unit;
  while (keep > dot && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
  return text.erase(keep, unit - keep);
}

// Goes one step back at a time: windows, then loading and errors, highlight and critical path,
// search, measurement, selection. A recording goes on, because it cannot be repeated.
void Escape(C& c, const A&) {
  if (c.windows.settings) {
    c.windows.settings = false;
  } else if (c.windows.help) {
    c.windows.help = false;
  } else if (c.session.loading) {
    c.services.CancelLoading();
  } else if (!c.session.error.empty()) {
    c.services.DismissError();
  } else if (!c.session.capture.problem.empty()) {
    c.services.DismissCaptureProblem();
  } else if (!c.view.shown.empty()) {
    c.view.shown.Set({});
    c.windows.path = {};
  } else if (!c.windows.path.range.empty()) {
    c.windows.path = {};
  } else if (!c.search.query().empty()) {
    c.search.Set({}, c.profiles);
  } else if (!c.view.measured.empty()) {
    c.view.measured = {};
  } else {
    c.view.selected = {};
  }
}
void CopyName(C& c, const A&) { c.services.SetClipboard(NameOfSelection(c)); }
void CopyText(C& c, const A& a) { c.services.SetClipboard(a.text); }
void CopyAll(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = c.view.selected.row;
  std::string text = "Name\t" + NameOfSelection(c);
  text += "\nStart\t" + ExactDuration(set->Start(row)) + "\nDuration\t" +
          ExactDuration(set->Duration(row));
  const Trace& trace = *FindProfile(c.profiles, c.view.selected.trace)->trace;
  text += "\nTrack\t" + TrackPath(trace, *set, set->TrackOf(row)) + "\n";
  if (c.view.selected.set == 0 && trace.source) {
    const auto stats = trace.source->Decode(trace, row);
    if (stats.ok()) {
      for (const Stat& stat : *stats) text += stat.name + "\t" + ToText(stat) + "\n";
    }
  }
  c.services.SetClipboard(text);
}

constexpr CommandDesc kCopy[] = {
    {"select.clear", "Back out", "Go",
     "Closes settings or help, stops loading, or clears highlight, search, measurement, selection, "
     "in this order.",
     "clear cancel", "Escape", Always, Escape},
    {"copy.name", "Copy name", "Go", "Copies the selected event's name.", "clipboard", "Ctrl+C",
     HasSelection, CopyName},
    {"copy.all", "Copy all details", "Go", "Copies the selected event with all its arguments.",
     "clipboard stats", "Ctrl+Shift+C", HasSelection, CopyAll},
    {"copy.text", "Copy text", "", "Copies a text.", "", "", Always, CopyText},
};

}  // namespace

std::span<const CommandDesc> CopyCommands() { return kCopy; }

}  // namespace stepscope::commands
