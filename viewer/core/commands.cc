// The table of all commands. Menus, palette, keys, help and docs are made from it
// (viewer/core/command.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/base/digits.h"
#include "model/lookup.h"
#include "viewer/core/command.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/context.h"
#include "viewer/core/panel.h"
#include "viewer/core/theme.h"
#include "viewer/core/time_axis.h"
#include "viewer/core/track_path.h"

namespace stepscope {

using namespace actions;  // NOLINT(google-build-using-namespace)

namespace {

using C = ViewerContext;
using A = CommandArgs;

bool Always(const C&) { return true; }
bool HasRun(const C& c) { return c.RunOf() != nullptr; }
bool HasSelection(const C& c) { return c.view.selected.valid(); }
bool Loading(const C& c) { return c.session.loading.has_value(); }
bool HasRecent(const C& c) { return !c.session.recent.empty(); }
bool HasSample(const C& c) { return !c.session.sample_path.empty(); }

void ChooseRun(C& c, const A& a) {
  if (const Run* run = c.RunOf(a.run)) c.services.OpenRun(run->id, a.text);
}
void ActivateRun(C& c, const A& a) {
  if (const Run* run = c.RunOf(a.run)) c.view.active = run->id;
}
void ChooseHost(C& c, const A& a) {
  if (RunState* state = c.StateOf(a.run)) state->host = a.text;
}

// --- View
// With a number above 0 (a double click) never further away than now.
void ZoomSelection(C& c, const A& a) {
  const TimeRange range = c.RangeOf(c.view.selected);
  if (range.empty()) {
    c.ZoomTo(c.view.MeasuredIn(c.view.active), a.number > 0);
  } else {
    c.ZoomTo(range, a.number > 0, c.view.selected.trace);
  }
}
void ZoomAll(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  if (run == nullptr) return;
  const TimeRange first = run->trace->first_view;
  // What is shown at the start first; once more: everything, strays included.
  c.SetVisible(first.empty() || c.Visible(a.run) == first ? c.Whole(a.run) : first, a.run);
}
void SetRange(C& c, const A& a) {
  if (!a.range.empty()) c.SetVisible(a.range, a.run);
}
void PythonFrames(C& c, const A&) {
  const bool show = !c.settings.Bool("timeline.python_frames");
  c.settings.Set("timeline.python_frames", show ? "true" : "false");
  Say(c, show ? "Python frames shown" : "Python frames hidden");
}
void SwitchLanes(C& c, const char* key, const char* what) {
  const bool show = !c.settings.Bool(key);
  c.settings.Set(key, show ? "true" : "false");
  Say(c, what + std::string(show ? " of GPUs shown" : " of GPUs hidden"));
}
void DerivedLanes(C& c, const A&) {
  SwitchLanes(c, "timeline.derived_lanes", "Idle time and utilisation");
}
void WaitingLanes(C& c, const A&) {
  SwitchLanes(c, "timeline.waiting_lanes", "Queue, launch delay and memory");
}
void SwitchDefinitions(C& c, const A&) {
  const bool xprof = DefinitionsOf(c.settings) != Definitions::kXprof;
  c.settings.Set("definitions", xprof ? "XProf" : "Stepscope");
  Say(c, xprof ? "Computed as XProf does" : "Computed by Stepscope's definitions");
}
void NextTheme(C& c, const A&) {
  const auto names = ThemeNames();
  const auto i = static_cast<size_t>(ThemeFromName(c.settings.Get("theme")));
  // The button flips between dark and light; the others are chosen on the settings page.
  c.settings.Set("theme", names[i == 1 ? 0 : 1]);
}
void SetTheme(C& c, const A& a) { c.settings.Set("theme", a.text); }
void TallPanels(C& c, const A&) { c.windows.switch_tall = true; }
void Fullscreen(C& c, const A&) { c.services.ToggleFullscreen(); }
void LargerText(C& c, const A&) {
  c.settings.Set("scale", std::to_string(c.settings.Real("scale") + 0.1));
}
void SmallerText(C& c, const A&) {
  c.settings.Set("scale", std::to_string(c.settings.Real("scale") - 0.1));
}
void NormalText(C& c, const A&) { c.settings.Set("scale", "1"); }

// --- Tools
void SetTool(C& c, Tool tool) { c.view.tool = tool; }
void SelectTool(C& c, const A&) { SetTool(c, Tool::kSelect); }
void PanTool(C& c, const A&) { SetTool(c, Tool::kPan); }
void ZoomTool(C& c, const A&) { SetTool(c, Tool::kZoom); }
void TimingTool(C& c, const A&) { SetTool(c, Tool::kTiming); }
// --- Go: selection and search
void Select(C& c, const A& a) {
  c.view.selected = c.Set(a.event) != nullptr ? a.event : EventRef{};
  if (c.view.selected.valid()) c.view.active = a.event.trace;
}
void Reveal(C& c, const A& a) { c.Reveal(a.event); }
ShownEvents::StartOf StartIn(const C& c) {
  return [&c](const EventRef& event) { return c.RangeOf(event).begin; };
}
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
bool HasTracksToShow(const C& c) {
  const auto& runs = c.view.runs;
  return HasSelection(c) || !c.view.shown.empty() ||
         std::any_of(runs.begin(), runs.end(), [](const RunState& r) { return !r.only.empty(); });
}
bool HasShown(const C& c) { return !c.view.shown.empty(); }
void StepShown(C& c, int direction) {
  c.Reveal(c.view.shown.Step(direction, StartIn(c)));
  Say(c, "Event " + GroupDigits(c.view.shown.at() + 1) + " of " + GroupDigits(c.view.shown.size()));
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
void SameName(C& c, int direction) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = NextSameName(*set, c.view.selected.row, direction);
  if (row.valid()) c.Reveal({c.view.selected.trace, c.view.selected.set, row});
}
void NextSame(C& c, const A&) { SameName(c, 1); }
void PreviousSame(C& c, const A&) { SameName(c, -1); }
void SelectParent(C& c, const A&) {
  const TrackSet* set = c.Set(c.view.selected);
  if (set == nullptr) return;
  const EventRow row = Parent(*set, c.view.selected.row);
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
void NextEvent(C& c, const A&) { Neighbour(c, 1); }
void PreviousEvent(C& c, const A&) { Neighbour(c, -1); }
void FocusSearch(C& c, const A& a) {
  c.windows.focus_search = true;
  c.windows.typed = a.text;
}
void SetSearch(C& c, const A& a) { c.search.Set(a.text, c.runs); }
void StepSearch(C& c, int direction) {
  const EventRef hit = c.search.Step(c.view.selected, direction, c.runs);
  if (hit.valid()) c.Reveal(hit);
}
void NextHit(C& c, const A&) { StepSearch(c, 1); }
void PreviousHit(C& c, const A&) { StepSearch(c, -1); }

// --- Edit
std::string NameOfSelection(const C& c) {
  const TrackSet* set = c.Set(c.view.selected);
  return set == nullptr ? std::string() : std::string(set->Name(c.view.selected.row));
}
void CopyName(C& c, const A&) { c.services.SetClipboard(NameOfSelection(c)); }
void CopyText(C& c, const A& a) { c.services.SetClipboard(a.text); }
// Twelve digits without the zeros that say nothing: "434 µs".
std::string ExactDuration(Ps t) {
  std::string text = FormatDuration(t, 12);
  const size_t dot = text.find('.'), unit = text.find(' ');
  if (dot == std::string::npos || unit == std::string::npos || unit < dot) return text;
  size_t keep = unit;
  while (keep > dot && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
  return text.erase(keep, unit - keep);
}
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

void ShowNote(C& c, const A& a) { Say(c, a.text); }

// --- Window and help
void ShowPanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(PanelOf(a.text));
  if (panel == nullptr || (a.run.valid() && c.RunOf(a.run) == nullptr)) return;
  const PanelKey key{panel->id, a.run};
  if (a.run.valid()) {
    c.windows.pinned.insert(key);
  } else {
    c.windows.panels[panel->id] = true;
  }
  c.windows.focus_panel = key;
  c.view.panel = a.text;
  c.view.panel_run = a.run;
}
// A second window of a panel, for a run that it stays with.
void DuplicatePanel(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  A shown;
  shown.text = a.text.empty() ? c.view.panel : a.text;
  if (run == nullptr || FindPanel(PanelOf(shown.text)) == nullptr) return;
  shown.run = run->id;
  ShowPanel(c, shown);
}
void TogglePanel(C& c, const A& a) {
  const PanelDesc* panel = FindPanel(a.text);
  if (panel == nullptr) return;
  const PanelKey key{panel->id, a.run};
  if (a.run.valid()) {
    if (c.windows.pinned.erase(key) == 0) ShowPanel(c, a);
    return;
  }
  const auto [it, inserted] = c.windows.panels.try_emplace(a.text, panel->open_by_default);
  it->second = !it->second;
  if (it->second) c.windows.focus_panel = key;
}
void ToggleHelp(C& c, const A&) { c.windows.help = !c.windows.help; }
// With a setting's key: opens the page at it.
void ToggleSettings(C& c, const A& a) {
  c.windows.settings = !c.windows.settings || !a.text.empty();
  c.windows.setting = a.text;
}
void TogglePalette(C& c, const A& a) {
  c.windows.palette = !c.windows.palette;
  c.windows.typed = a.text;
}
void ChangeSetting(C& c, const A& a) {
  const size_t equals = a.text.find('=');
  if (equals == std::string::npos) return;
  const std::string_view key = std::string_view(a.text).substr(0, equals);
  c.settings.Set(key, std::string_view(a.text).substr(equals + 1));
  if (key == "timeline.tracks") FoldByRules(c);
}

constexpr CommandDesc kCommands[] = {
    {"file.open", "Open file…", "File",
     "Opens a profile: XSpace, trace.json, memory snapshot, Perfetto, Nsight, ROCm.",
     "load profile trace xplane pickle pftrace sqlite", "Ctrl+O", Always, OpenFile},
    {"file.open_folder", "Open folder…", "File",
     "Opens a log directory, a run, or a folder of profiles.", "load directory logdir tensorboard",
     "Ctrl+Shift+O", Always, OpenFolder},
    {"file.open_sample", "Open the sample", "File",
     "Opens the profile that comes with the program.", "example demo", "", HasSample, OpenSample},
    {"file.compare", "Compare with\u2026", "File",
     "Opens a second profile beside the active one, which becomes the baseline.",
     "diff second run baseline", "Alt+O", HasRun, CompareWith},
    {"compare.swap", "Swap baseline", "Go",
     "What was compared becomes the baseline, and the baseline what is compared with it.",
     "diff exchange A B", "X", Compares, SwapBaseline},
    {"compare.counterpart", "Same event of the other profile", "Go",
     "Selects what does the same in the other profile: of that name, in that step, as many before "
     "it; both stand bright.",
     "diff match pair", "C", Compares, Counterpart},
    {"compare.align_steps", "Align steps", "Go",
     "Puts a step of each profile at the same place: that of the same number, or the first.",
     "diff shift offset", "", Compares, AlignSteps},
    {"compare.align_begin", "Align begins", "Go", "Lets both profiles begin at the same place.",
     "diff shift offset absolute start", "", Compares, AlignBegins},
    {"compare.align_event", "Align selected events", "Go",
     "Puts the last two selected events, one of each profile, at the same place.",
     "diff shift offset", "", Compares, AlignEvents},
    {"compare.stretch", "Stretch steps to the same length", "Go",
     "Draws the steps of both profiles equally long, or as long as they are again.",
     "diff scale normalise", "", Compares, StretchSteps},
    {"compare.colors", "Colour by change", "View",
     "Colours slices by how much longer or shorter those of their name take in a step than in the "
     "other profile, or by their names again.",
     "diff tint slower faster hatching", "", Compares, CompareColors},
    {"compare.layout", "Profiles in one list, above or beside each other", "View",
     "Gives each open profile rows of its own, above and below or left and right, with one time "
     "axis; again: the next of these; with a text: that one.",
     "diff side by side split columns halves linked timelines layout", "V", HasAreas, ChooseLayout},
    {"file.close", "Close", "File", "Closes the active profile.", "", "Ctrl+W", HasRun, CloseRun},
    {"file.clear_recent", "Clear recent profiles", "File", "Forgets the list of recent profiles.",
     "history", "", HasRecent, ClearRecent},
    {"file.answer", "Answer how to open", "",
     "compare, merge, instead or cancel: what to do with profiles opened together.", "", "", Always,
     AnswerQuestion},
    {"file.cancel", "Stop loading", "", "Stops the load in progress.", "abort", "", Loading,
     CancelLoading},
    {"file.export", "Export as", "", "Asks where to write a table or the numbers of a chart.", "",
     "", Always, Export},
    {"file.export_picture", "Export picture as", "",
     "Asks where to save a part of the window: name x y width height.", "", "", Always,
     ExportPicture},
    {"file.export_png", "Export picture (PNG)\u2026", "File",
     "Saves the timeline as it is shown as a picture of pixels; with a path: there.",
     "image screenshot save view", "", HasRun, ExportPng},
    {"file.export_svg", "Export picture (SVG)\u2026", "File",
     "Saves the timeline as it is shown as a picture of vectors, sharp at any size; with a path: "
     "there.",
     "image vector screenshot save view", "", HasRun, ExportSvg},
    {"file.write", "Write export", "", "Writes what is being exported to a path; 1: over a file.",
     "", "", Always, WriteExport},
    {"file.quit", "Quit", "File", "Ends the program.", "exit", "Ctrl+Q", Always, Quit},
    {"run.choose", "Choose run", "", "Opens another run of the same log directory.", "", "", HasRun,
     ChooseRun},
    {"run.activate", "Activate run", "", "Makes one of the open profiles the one that panels show.",
     "", "", HasRun, ActivateRun},
    {"host.choose", "Choose host", "", "Shows one host only; empty: all.", "filter worker", "",
     HasRun, ChooseHost},

    {"view.zoom_in", "Zoom in", "View", "Zooms in at the mouse.", "closer", "W | =", HasRun,
     ZoomIn},
    {"view.zoom_out", "Zoom out", "View", "Zooms out at the mouse.", "further", "S | -", HasRun,
     ZoomOut},
    {"view.pan_left", "Pan left", "View", "Moves to earlier times.", "scroll earlier", "A | Left",
     HasRun, PanLeft},
    {"view.pan_right", "Pan right", "View", "Moves to later times.", "scroll later", "D | Right",
     HasRun, PanRight},
    {"view.scroll_up", "Scroll up", "View", "Scrolls the tracks up.", "", "Up", HasRun, ScrollUp},
    {"view.scroll_down", "Scroll down", "View", "Scrolls the tracks down.", "", "Down", HasRun,
     ScrollDown},
    {"view.page_up", "Page up", "View", "Scrolls by a page.", "", "PageUp", HasRun, PageUp},
    {"view.page_down", "Page down", "View", "Scrolls by a page.", "", "PageDown", HasRun, PageDown},
    {"view.scroll", "Scroll by pixels", "", "Scrolls the tracks by a number of pixels.", "", "",
     HasRun, Scroll},
    {"view.zoom_selection", "Zoom to selection", "View",
     "Shows the selected event, or the measured range.", "focus fit event", "F", HasRun,
     ZoomSelection},
    {"view.zoom_all", "Whole trace", "View",
     "Shows where the devices work, as at the start; again: all of the trace.",
     "reset fit everything", "0", HasRun, ZoomAll},
    {"view.set_range", "Show range", "", "Shows a range of time.", "", "", HasRun, SetRange},
    {"view.toggle_collapse", "Fold or unfold", "", "Folds or unfolds a plane or track.", "", "",
     HasRun, ToggleCollapse},
    {"view.collapse_all", "Fold all", "View", "Folds all devices and hosts to their activity.",
     "collapse", "", HasRun, CollapseAll},
    {"view.expand_all", "Unfold all", "View", "Unfolds everything.", "expand", "", HasRun,
     ExpandAll},
    {"view.toggle_hidden", "Hide", "",
     "Hides planes and tracks of a name in all profiles, or shows them again.", "", "", HasRun,
     ToggleHidden},
    {"track.pin", "Pin to the top", "",
     "Keeps tracks of a name above all others in all profiles, or lets them go again.", "", "",
     HasRun, TogglePin},
    {"track.move", "Move track", "",
     "Moves a plane or track before its neighbours; number 1: behind all that were moved.", "", "",
     HasRun, MoveTrack},
    {"track.place", "Place track", "",
     "Puts a track or plane, the last of some paths, behind the others: its neighbours before it.",
     "", "", HasRun, PlaceTrack},
    {"track.rows", "Limit the height of a track", "",
     "Draws at most so many rows of tracks of a name; 0: all.", "", "", HasRun, LimitRows},
    {"track.sort", "Next order of tracks", "View",
     "Orders the tracks of each plane by name, by busy time, by number of events, or as they are "
     "recorded; with a text: by that.",
     "sort tracks order busiest alphabetical", "", HasRun, SortTracks},
    {"track.filter", "Show tracks by name", "",
     "Shows only tracks whose name, or whose plane's, has all of some words; nothing: all.", "", "",
     HasRun, FilterTracks},
    {"track.only_selected", "Only tracks of the selection", "View",
     "Shows only tracks with selected events; again: all.", "isolate filter", "", HasTracksToShow,
     OnlySelected},
    {"track.unpin_all", "Unpin all tracks", "View", "Unpins all tracks and undoes their order.",
     "unpin reset order", "", HasOrder, UnpinAll},
    {"view.show_hidden", "Show hidden tracks", "View", "Shows what was hidden by its name.",
     "planes unhide", "", HasHidden, ShowHidden},
    {"view.python_frames", "Hide or show Python frames", "View",
     "Leaves the frames of Python stacks out of the timeline, or shows them again.",
     "stack functions calls ops", "H", HasRun, PythonFrames},
    {"view.derived_lanes", "Hide or show idle time and utilisation", "View",
     "Leaves the lanes of each GPU that say why it is idle and how busy it is out of the timeline, "
     "or shows them again.",
     "gaps lanes counters tracks busy", "", HasRun, DerivedLanes},
    {"view.waiting_lanes", "Show or hide queue, launch delay and memory", "View",
     "Shows below each GPU how many launches wait, how long they take to begin, and the memory in "
     "use, or hides them again.",
     "lanes counters tracks allocator", "", HasRun, WaitingLanes},
    {"view.definitions", "XProf's or own definitions", "View",
     "Computes everything as XProf 2.24.2 does, or by Stepscope's definitions again.",
     "analyses numbers quirks compat rules", "", Always, SwitchDefinitions},
    {"view.next_theme", "Dark or light", "View", "Switches between dark and light.",
     "theme colours", "", Always, NextTheme},
    {"view.set_theme", "Choose theme", "", "dark, light, colour-blind or high contrast.", "", "",
     Always, SetTheme},
    {"view.larger", "Larger text", "View", "Makes everything larger.", "scale size",
     "Ctrl+=", Always, LargerText},
    {"view.smaller", "Smaller text", "View", "Makes everything smaller.", "scale size", "Ctrl+-",
     Always, SmallerText},
    {"view.normal_size", "Normal text size", "View", "Back to the monitor's scale.", "scale",
     "Ctrl+0", Always, NormalText},
    {"view.fullscreen", "Full screen", "View", "Fills the screen, or goes back.", "", "F11", Always,
     Fullscreen},
    {"view.tall_panels", "Tall panels", "View",
     "Gives the panels two thirds of the height, or the timeline most of it.",
     "enlarge maximise larger split", "T", HasRun, TallPanels},
    {"view.reset_layout", "Reset layout", "View",
     "Puts all panels back where they started, and shows tracks as at first.", "docking windows",
     "", Always, ResetLayout},

    // In no menu: they are for the keyboard.
    {"view.pan_left_fine", "Pan left a little", "Fine and coarse",
     "Moves to earlier times by a quarter of a step.", "slow", "Shift+A", HasRun, PanLeftFine},
    {"view.pan_right_fine", "Pan right a little", "Fine and coarse",
     "Moves to later times by a quarter of a step.", "slow", "Shift+D", HasRun, PanRightFine},
    {"view.zoom_in_fine", "Zoom in a little", "Fine and coarse",
     "Zooms in at the mouse by a quarter of a step.", "slow", "Shift+W", HasRun, ZoomInFine},
    {"view.zoom_out_fine", "Zoom out a little", "Fine and coarse",
     "Zooms out at the mouse by a quarter of a step.", "slow", "Shift+S", HasRun, ZoomOutFine},
    {"view.pan_left_coarse", "Pan left a lot", "Fine and coarse",
     "Moves to earlier times by four steps.", "fast page", "Ctrl+Shift+A", HasRun, PanLeftCoarse},
    {"view.pan_right_coarse", "Pan right a lot", "Fine and coarse",
     "Moves to later times by four steps.", "fast page", "Ctrl+Shift+D", HasRun, PanRightCoarse},
    {"view.zoom_in_coarse", "Zoom in a lot", "Fine and coarse",
     "Zooms in at the mouse by four steps.", "fast", "Ctrl+Shift+W", HasRun, ZoomInCoarse},
    {"view.zoom_out_coarse", "Zoom out a lot", "Fine and coarse",
     "Zooms out at the mouse by four steps.", "fast", "Ctrl+Shift+S", HasRun, ZoomOutCoarse},

    {"view.back", "Go back", "View", "Goes back to the view before this one.", "undo history",
     "Ctrl+Z | Alt+Left", CanGoBack, GoBack},
    {"view.forward", "Go forward", "View", "Goes forward again to the view that was left.",
     "redo history", "Ctrl+Shift+Z | Ctrl+Y | Alt+Right", CanGoForward, GoForward},
    {"view.copy_token", "Copy view", "View",
     "Copies a short text that opens this profile at the same place: stepscope PATH --view TEXT.",
     "token link share bookmark", "", HasRun, CopyViewToken},
    {"view.open_token", "Go to view", "", "Goes to a view that was copied as text.", "", "", HasRun,
     OpenViewToken},

    {"filter.here", "Limit panels to this", "Tools",
     "Limits all panels to the measured range, else to the selected event, else to what is in "
     "sight.",
     "restrict range filter", "L", HasRun, FilterHere},
    {"filter.visible", "Limit panels to the view", "Tools",
     "Limits all panels to what the timeline shows now.", "restrict range filter", "", HasRun,
     FilterVisible},
    {"filter.range", "Limit panels to a range", "", "Limits all panels to a range.", "", "", HasRun,
     FilterRange},
    {"filter.steps", "Limit panels to steps", "", "Limits all panels to steps: 5, or 3..7.", "", "",
     HasSteps, FilterSteps},
    {"filter.pop", "Remove the last limit", "Tools",
     "Takes back the last limit of the panels; others stay.", "widen unfilter", "Shift+L",
     HasFilter, PopFilter},
    {"filter.clear", "Remove all limits", "Tools", "Panels show the whole profile again.",
     "everything unfilter reset", "", HasFilter, ClearFilters},

    {"path.show", "Critical path", "Tools",
     "Shows what the step in sight waited for, event by event: work of the device, launches, the "
     "host; again: no path.",
     "chain slow why dependencies what if", "", HasArrows, ShowPath},

    {"mark.add", "Add marker", "Tools",
     "Marks the measured range, else the time under the mouse, else the selected event, for good.",
     "note bookmark annotate remember", "Shift+M", HasRun, AddMarker},
    {"mark.remove", "Remove marker", "", "Removes the marker of a number.", "", "", HasMarkers,
     RemoveMarker},
    {"mark.rename", "Name marker", "", "Names the marker of a number.", "", "", HasMarkers,
     RenameMarker},
    {"mark.color", "Colour marker", "", "Gives the marker of a number the next colour.", "", "",
     HasMarkers, ColorMarker},
    {"mark.next", "Next marker", "Go", "Shows the next marker.", "bookmark", "Ctrl+Right",
     HasMarkers, NextMarker},
    {"mark.previous", "Previous marker", "Go", "Shows the previous marker.", "bookmark",
     "Ctrl+Left", HasMarkers, PreviousMarker},

    {"tool.select", "Select tool", "Tools", "Drag selects nothing but the event under the mouse.",
     "pointer", "1", Always, SelectTool},
    {"tool.pan", "Pan tool", "Tools", "Drag moves the timeline.", "hand move", "2", Always,
     PanTool},
    {"tool.zoom", "Zoom tool", "Tools", "Drag marks what to zoom to.", "magnify", "3", Always,
     ZoomTool},
    {"tool.timing", "Timing tool", "Tools",
     "Drag measures a time; it snaps to the edges of events.", "measure ruler", "4", Always,
     TimingTool},
    {"measure.selection", "Measure selection", "Tools", "Measures the selected event.",
     "duration mark", "M", HasSelection, MeasureSelection},
    {"measure.set", "Measure range", "", "Sets or clears the measured range.", "", "", Always,
     SetMeasured},

    {"search.focus", "Search events", "Go", "Goes to the search box.", "find", "/ | Ctrl+F", HasRun,
     FocusSearch},
    {"search.set", "Search for", "",
     "Finds all events whose name contains a text; =text: whose name is that text.", "", "", Always,
     SetSearch},
    {"search.next", "Next hit", "Go", "Goes to the next event found.", "find", "F3 | Enter",
     HasHits, NextHit},
    {"search.previous", "Previous hit", "Go", "Goes to the previous event found.", "find",
     "Shift+F3 | Shift+Enter", HasHits, PreviousHit},
    {"select.event", "Select event", "", "Selects an event, or nothing.", "", "", Always, Select},
    {"select.reveal", "Go to event", "", "Selects an event and moves it into view.", "", "", Always,
     Reveal},
    {"select.show_events", "Show events on the timeline", "",
     "Shows events bright and dims the rest.", "", "", Always, ShowEvents},
    {"select.next_shown", "Next shown event", "Go",
     "Goes to the next of the events that a table shows on the timeline.", "step highlight", "N",
     HasShown, NextShown},
    {"select.previous_shown", "Previous shown event", "Go",
     "Goes to the previous of the events that a table shows on the timeline.", "step highlight",
     "Shift+N", HasShown, PreviousShown},
    {"select.next", "Next event", "Go", "Selects the next event of the row.", "", ".", HasSelection,
     NextEvent},
    {"select.previous", "Previous event", "Go", "Selects the previous event of the row.", "", ",",
     HasSelection, PreviousEvent},
    {"select.next_same", "Next of the same name", "Go",
     "Selects the next event of the same name on the track.", "", "]", HasSelection, NextSame},
    {"select.previous_same", "Previous of the same name", "Go",
     "Selects the previous event of the same name on the track.", "", "[", HasSelection,
     PreviousSame},
    {"select.parent", "Enclosing event", "Go", "Selects the event around the selected one.",
     "parent caller", "P", HasSelection, SelectParent},
    {"select.child", "First event inside", "Go", "Selects the first event inside the selected one.",
     "child callee", "Shift+P", HasSelection, FirstChild},
    {"select.flow_next", "What it leads to", "Go",
     "Follows an arrow from the selected event: from a launch to its kernel.",
     "flow launch kernel correlation arrow", "O", HasFlows, NextFlow},
    {"select.flow_previous", "What led to it", "Go",
     "Follows an arrow back from the selected event: from a kernel to its launch.",
     "flow launch cause correlation arrow", "I", HasFlows, PreviousFlow},
    {"select.events", "Select events", "", "Selects some events: they are shown bright.", "", "",
     HasRun, SelectEvents},
    {"select.toggle", "Add to the selection", "",
     "Adds an event to those selected, or takes it out.", "", "", HasRun, ToggleEvent},
    {"select.hits", "Select all hits", "Go", "Selects all events that the search has found.",
     "search statistics", "Ctrl+A", HasHits, SelectHits},
    {"measure.shown", "Measure selected events", "Tools",
     "Measures from the first begin to the last end of the events that are shown bright.",
     "range span", "", HasShown, MeasureShown},
    {"go.next_step", "Next step", "Go", "Shows the next step.", "iteration", "Shift+Right", HasRun,
     NextStep},
    {"go.previous_step", "Previous step", "Go", "Shows the previous step.", "iteration",
     "Shift+Left", HasRun, PreviousStep},
    {"go.step", "Go to step", "", "Shows the step of a number.", "iteration", "", HasSteps,
     GoToStep},
    {"go.typical_step", "Typical step", "Go", "Shows the step of median length.",
     "iteration median average representative", "", HasSteps, TypicalStep},
    {"go.worst_step", "Longest step", "Go", "Shows the step that took longest.",
     "iteration slowest outlier maximum", "", HasSteps, WorstStep},
    {"select.clear", "Back out", "Go",
     "Closes settings or help, stops loading, or clears highlight, search, measurement, selection, "
     "in this order.",
     "clear cancel", "Escape", Always, Escape},
    {"copy.name", "Copy name", "Go", "Copies the selected event's name.", "clipboard", "Ctrl+C",
     HasSelection, CopyName},
    {"copy.all", "Copy all details", "Go", "Copies the selected event with all its arguments.",
     "clipboard stats", "Ctrl+Shift+C", HasSelection, CopyAll},
    {"copy.text", "Copy text", "", "Copies a text.", "", "", Always, CopyText},

    {"panel.show", "Show panel", "",
     "Opens a panel and brings it to the front; memory/lifetimes names a page of it.", "", "",
     Always, ShowPanel},
    {"panel.toggle", "Open or close panel", "", "Opens or closes a panel.", "", "", Always,
     TogglePanel},
    {"panel.duplicate", "Pin panel to this profile", "",
     "Opens a panel once more, for this profile only: it stays with it when another is active.",
     "second copy window", "", HasRun, DuplicatePanel},
    {"app.settings", "Settings", "Window", "Theme, size and manners.", "preferences options",
     "Ctrl+,", Always, ToggleSettings},
    {"app.set", "Change setting", "", "key=value", "", "", Always, ChangeSetting},
    {"app.save_picture", "Save picture", "", "Saves a part of the window: name x y width height.",
     "", "", Always, SavePicture},
    {"app.note", "Say", "", "Says something in the status bar.", "", "", Always, ShowNote},
    {"app.palette", "Command palette", "Help", "Finds and runs any command.", "search actions",
     "> | Ctrl+Shift+P", Always, TogglePalette},
    {"app.help", "Keys and commands", "Help", "Lists all commands with their keys.",
     "shortcuts keyboard", "? | F1", Always, ToggleHelp},
};

}  // namespace

std::span<const CommandDesc> Commands() { return kCommands; }

}  // namespace stepscope
