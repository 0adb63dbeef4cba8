// Commands about one event: selecting it, going on from it, searching, copying.
#include <string>

#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/context.h"
#include "viewer/core/time_axis.h"
#include "viewer/core/track_path.h"

namespace stepscope::actions {
namespace {

using C = ViewerContext;
using A = CommandArgs;

ShownEvents::StartOf StartIn(const C& c) {
  return [&c](const EventRef& event) { return c.RangeOf(event).begin; };
}
void StepShown(C& c, int direction) {
  c.Reveal(c.view.shown.Step(direction, StartIn(c)));
  Say(c, "Event " + GroupDigits(c.view.shown.at() + 1) + " of " + GroupDigits(c.view.shown.size()));
}
void SameName(C& c, int direction) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = NextSameName(*set, c.view.selected.row, direction);
  if (row.valid()) c.Reveal({c.view.selected.trace, c.view.selected.set, row});
}
void Neighbour(C& c, int direction) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const Lane& lane = set->lanes[set->LaneOf(c.view.selected.row).value];
  const int64_t i = int64_t{c.view.selected.row.value} - lane.first_row + direction;
  if (i < 0 || i >= int64_t{lane.size()}) return;
  c.Reveal({c.view.selected.trace, c.view.selected.set,
            EventRow(lane.first_row + static_cast<uint32_t>(i))});
}
void StepSearch(C& c, int direction) {
  const EventRef hit = c.search.Step(c.view.selected, direction, c.runs);
  if (hit.valid()) c.Reveal(hit);
}

// --- Edit
std::string NameOfSelection(const C& c) {
  const TrackSet* set = c.Set(c.view.selected);
  return set == nullptr ? std::string() : std::string(set->Name(c.view.selected.row));
}
// Twelve digits without the zeros that say nothing: "434 µs".
std::string ExactDuration(Ps t) {
  std::string text = FormatDuration(t, 12);
  const size_t dot = text.find('.'), unit = text.find(' ');
  if (dot == std::string::npos || unit == std::string::npos || unit < dot) return text;
  size_t keep = unit;
  while (keep > dot && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
  return text.erase(keep, unit - keep);
}

}  // namespace

void Select(C& c, const A& a) {
  c.view.selected = c.Set(a.event) != nullptr ? a.event : EventRef{};
  if (c.view.selected.valid()) c.view.active = a.event.trace;
}
void Reveal(C& c, const A& a) { c.Reveal(a.event); }
void ShowEvents(C& c, const A& a) {
  c.view.shown.Set(a.events);
  if (a.events.empty()) return;
  c.Reveal(c.view.shown.Earliest(StartIn(c)));
  const size_t n = a.events.size();
  // A row of a table may stand for more events than are shown: `number` has them all.
  const bool all = a.number <= static_cast<double>(n);
  const std::string of =
      all ? std::string() : " of " + GroupDigits(static_cast<uint64_t>(a.number));
  if (n > 1) Say(c, GroupDigits(n) + of + " events shown; N and Shift+N go through them");
}
void NextShown(C& c, const A&) { StepShown(c, 1); }
void PreviousShown(C& c, const A&) { StepShown(c, -1); }
// One step back at a time: windows, highlight, then search, then measurement, then selection.
void Escape(C& c, const A&) {
  if (c.windows.settings) {
    c.windows.settings = false;
  } else if (c.windows.help) {
    c.windows.help = false;
  } else if (c.session.loading) {
    c.services.CancelLoading();
  } else if (!c.session.error.empty()) {
    c.services.DismissError();
  } else if (!c.view.shown.empty()) {
    c.view.shown.Set({});
  } else if (!c.search.query().empty()) {
    c.search.Set({}, c.runs);
  } else if (!c.view.measured.empty()) {
    c.view.measured = {};
  } else {
    c.view.selected = {};
  }
}
void NextSame(C& c, const A&) { SameName(c, 1); }
void PreviousSame(C& c, const A&) { SameName(c, -1); }
void SelectParent(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = Parent(*set, c.view.selected.row);
  if (row.valid()) c.Reveal({c.view.selected.trace, c.view.selected.set, row});
}
void NextEvent(C& c, const A&) { Neighbour(c, 1); }
void PreviousEvent(C& c, const A&) { Neighbour(c, -1); }
void FocusSearch(C& c, const A& a) {
  c.windows.focus_search = true;
  c.windows.typed = a.text;
}
void SetSearch(C& c, const A& a) { c.search.Set(a.text, c.runs); }
void NextHit(C& c, const A&) { StepSearch(c, 1); }
void PreviousHit(C& c, const A&) { StepSearch(c, -1); }
void CopyName(C& c, const A&) { c.services.SetClipboard(NameOfSelection(c)); }
void CopyText(C& c, const A& a) { c.services.SetClipboard(a.text); }
void CopyAll(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = c.view.selected.row;
  std::string text = "Name\t" + NameOfSelection(c);
  text += "\nStart\t" + ExactDuration(set->Start(row)) + "\nDuration\t" +
          ExactDuration(set->Duration(row));
  const Trace& trace = *FindRun(c.runs, c.view.selected.trace)->trace;
  text += "\nTrack\t" + TrackPath(trace, *set, set->TrackOf(row)) + "\n";
  if (c.view.selected.set == 0 && trace.source) {
    const auto stats = trace.source->Decode(trace, row);
    if (stats.ok()) {
      for (const Stat& stat : *stats) text += stat.name + "\t" + ToText(stat) + "\n";
    }
  }
  c.services.SetClipboard(text);
}

}  // namespace stepscope::actions
