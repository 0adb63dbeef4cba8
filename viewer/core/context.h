// ViewerContext: what a command may change. Handed to CommandDesc::apply at the end of a frame,
// never kept.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "viewer/core/run.h"
#include "viewer/core/search.h"
#include "viewer/core/session_view.h"
#include "viewer/core/settings.h"
#include "viewer/core/view_history.h"
#include "viewer/core/view_state.h"

namespace stepscope {

// One window of a panel: the one that shows the active run, or one that stays with a run.
struct PanelKey {
  std::string panel;  // id
  TraceId run;        // invalid: the active one
  auto operator<=>(const PanelKey&) const = default;
};

enum class DialogMode { kFiles, kFolders, kSave, kCompare };

// What is to be written once the user has said where.
struct SaveRequest {
  std::string name, contents;             // name: suggested, without a folder
  std::optional<PictureRequest> picture;  // taken of the window instead of `contents`
  bool of_view = false;                   // the timeline as it is shown instead of both
};

// The timeline to save as it is shown: .svg with vectors, any other path as PNG.
struct ViewPicture {
  std::string path;
  bool replace = false;  // a file there is written over
  int wait = 2;          // frames: menus and dialogs close first
};

// Whose critical path the timeline shows, and of which time of the run; empty: none.
struct PathShown {
  TraceId run;
  TimeRange range;
};

// Which windows and popups are open. Changed only by commands.
struct WindowState {
  bool help = false, palette = false, settings = false, file_dialog = false;
  DialogMode dialog_mode = DialogMode::kFiles;
  SaveRequest save;                                 // of the dialog in the mode kSave
  bool focus_search = false, reset_layout = false;  // requests, taken by the next frame
  bool switch_tall = false;  // request: panels two thirds of the height, or back
  std::string typed;         // into the search box or the palette that is being opened
  std::string setting;       // that the settings page points at; empty: none
  std::map<std::string, bool, std::less<>> panels;  // open or closed, by id, of the active run
  std::set<PanelKey> pinned;                        // open beside them, for one run each
  PanelKey focus_panel;                             // request: bring to the front; empty id: none
  std::vector<PictureRequest> pictures;             // to be taken when their frames have passed
  PathShown path;
  std::vector<ViewPicture> views;  // the same
  std::string note;                // said in the status bar for a few seconds
  bool note_is_new = false;
};

// What the timeline showed in this frame: commands such as "zoom in" act relative to it.
struct TimelineFeedback {
  Ps cursor = 0;  // time under the mouse
  bool cursor_valid = false;
  double rows_height = 0, content_height = 0;  // pixels: canvas and all rows
  float row = 19;                              // pixels of one row
  // Where each run has rows of its own; what stands above is the active run's then.
  struct Area {
    TraceId run;
    double rows_height = 0, content_height = 0;
  };
  std::vector<Area> areas;
};

class ViewerContext {
 public:
  ViewState& view;
  const SessionView& session;
  AppServices& services;
  Settings& settings;
  WindowState& windows;
  Search& search;
  ViewHistory& history;
  const TimelineFeedback& timeline;
  std::span<const Run> runs;

  // A run by its id, the active one by none; null if it is gone. The same for what is kept of it.
  const Run* RunOf(TraceId run = {}) const;
  RunState* StateOf(TraceId run = {});
  const RunState* StateOf(TraceId run = {}) const;
  const TrackSet* Set(const EventRef& event) const;
  TimeRange RangeOf(const EventRef& event) const;  // in its run's time; empty if unknown
  // What follows is in the time of the run that is named, or of the active one.
  TimeRange Visible(TraceId run = {}) const;           // target range
  TimeRange Whole(TraceId run = {}) const;             // all that the run can show
  void SetVisible(TimeRange range, TraceId run = {});  // kept inside Whole()
  // Shows the range with what is around it. What fits into the view is not shown smaller than
  // before, and with `closer_only` nothing is.
  void ZoomTo(TimeRange range, bool closer_only, TraceId run = {});
  void Reveal(const EventRef& event);  // selects and moves into view when it is not
};

// What the setting "definitions" says.
Definitions DefinitionsOf(const Settings& settings);

}  // namespace stepscope
