// Commands that back out of what is shown, and copy from it.
#include <string>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope::commands {
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
// search, measurement, selection. A recording goes on: it cannot be had again.
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
