// The table of all commands. Menus, palette, keys, help and docs are made from it
// (viewer/core/command.h).
#include <algorithm>
#include <string>

#include "viewer/core/command.h"
#include "viewer/core/command_actions.h"
#include "viewer/core/context.h"

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

bool HasShown(const C& c) { return !c.view.shown.empty(); }
bool HasTracksToShow(const C& c) {
  const auto& runs = c.view.runs;
  return HasSelection(c) || !c.view.shown.empty() ||
         std::any_of(runs.begin(), runs.end(), [](const RunState& r) { return !r.only.empty(); });
}

// What is switched on
bool PythonFramesOn(const C& c) { return c.settings.Bool("timeline.python_frames"); }
bool DerivedLanesOn(const C& c) { return c.settings.Bool("timeline.derived_lanes"); }
bool WaitingLanesOn(const C& c) { return c.settings.Bool("timeline.waiting_lanes"); }
bool CompareColorsOn(const C& c) { return c.settings.Bool("timeline.compare_colors"); }
bool XprofOn(const C& c) { return DefinitionsOf(c.settings) == Definitions::kXprof; }
bool OnlySelectedOn(const C& c) {
  const RunState* state = c.StateOf();
  return state != nullptr && !state->only.empty();
}
bool PathOn(const C& c) { return !c.windows.path.range.empty(); }
bool HelpOn(const C& c) { return c.windows.help; }
bool SettingsOn(const C& c) { return c.windows.settings; }
template <Tool tool>
bool ToolIs(const C& c) {
  return c.view.tool == tool;
}

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
// --- Tools
void SetTool(C& c, Tool tool) { c.view.tool = tool; }
void SelectTool(C& c, const A&) { SetTool(c, Tool::kSelect); }
void PanTool(C& c, const A&) { SetTool(c, Tool::kPan); }
void ZoomTool(C& c, const A&) { SetTool(c, Tool::kZoom); }
void TimingTool(C& c, const A&) { SetTool(c, Tool::kTiming); }

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
     "diff scale normalise", "", Compares, StretchSteps, StepsStretched},
    {"compare.colors", "Colour by change", "View",
     "Colours slices by how much longer or shorter those of their name take in a step than in the "
     "other profile, or by their names again.",
     "diff tint slower faster hatching", "", Compares, CompareColors, CompareColorsOn},
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
     OnlySelected, OnlySelectedOn},
    {"track.unpin_all", "Unpin all tracks", "View", "Unpins all tracks and undoes their order.",
     "unpin reset order", "", HasOrder, UnpinAll},
    {"view.show_hidden", "Show hidden tracks", "View", "Shows what was hidden by its name.",
     "planes unhide", "", HasHidden, ShowHidden},
    {"view.python_frames", "Python frames", "View",
     "Shows the frames of Python stacks on the timeline, or leaves them out.",
     "hide show stack functions calls ops", "H", HasRun, PythonFrames, PythonFramesOn},
    {"view.derived_lanes", "Idle time and utilisation", "View",
     "Shows the lanes of each GPU that say why it is idle and how busy it is, or leaves them out.",
     "hide show gaps lanes counters tracks busy", "", HasRun, DerivedLanes, DerivedLanesOn},
    {"view.waiting_lanes", "Queue, launch delay and memory", "View",
     "Shows below each GPU how many launches wait, how long they take to begin, and the memory in "
     "use, or hides them again.",
     "hide show lanes counters tracks allocator", "", HasRun, WaitingLanes, WaitingLanesOn},
    {"view.definitions", "XProf's definitions", "View",
     "Computes everything as XProf 2.24.2 does, or by Stepscope's definitions again.",
     "analyses numbers quirks compat rules", "", Always, SwitchDefinitions, XprofOn},
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
     "chain slow why dependencies what if", "", HasArrows, ShowPath, PathOn},

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
     "pointer", "1", Always, SelectTool, ToolIs<Tool::kSelect>},
    {"tool.pan", "Pan tool", "Tools", "Drag moves the timeline.", "hand move", "2", Always, PanTool,
     ToolIs<Tool::kPan>},
    {"tool.zoom", "Zoom tool", "Tools", "Drag marks what to zoom to.", "magnify", "3", Always,
     ZoomTool, ToolIs<Tool::kZoom>},
    {"tool.timing", "Timing tool", "Tools",
     "Drag measures a time; it snaps to the edges of events.", "measure ruler", "4", Always,
     TimingTool, ToolIs<Tool::kTiming>},
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
     "Ctrl+,", Always, ToggleSettings, SettingsOn},
    {"app.set", "Change setting", "", "key=value", "", "", Always, ChangeSetting},
    {"app.save_picture", "Save picture", "", "Saves a part of the window: name x y width height.",
     "", "", Always, SavePicture},
    {"app.note", "Say", "", "Says something in the status bar.", "", "", Always, ShowNote},
    {"app.palette", "Command palette", "Help", "Finds and runs any command.", "search actions",
     "> | Ctrl+Shift+P", Always, TogglePalette},
    {"app.help", "Keys and commands", "Help", "Lists all commands with their keys.",
     "shortcuts keyboard", "? | F1", Always, ToggleHelp, HelpOn},
};

}  // namespace

std::span<const CommandDesc> Commands() { return kCommands; }

}  // namespace stepscope
