// ViewerContext: what a command may change. Handed to CommandDesc::apply at the end of a frame,
// never kept.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "viewer/core/run.h"
#include "viewer/core/search.h"
#include "viewer/core/session_view.h"
#include "viewer/core/settings.h"
#include "viewer/core/step_markers.h"
#include "viewer/core/view_state.h"

namespace stepscope {

// Which windows and popups are open. Changed only by commands.
struct WindowState {
  bool help = false, palette = false, settings = false, file_dialog = false;
  bool file_dialog_folder = false;                  // choose a folder instead of files
  bool focus_search = false, reset_layout = false;  // requests, taken by the next frame
  bool switch_tall = false;  // request: panels two thirds of the height, or back
  std::map<std::string, bool, std::less<>> panels;  // open or closed, by panel id
  std::string focus_panel;                          // request: bring to the front
  std::vector<PictureRequest> pictures;             // to be taken when their frames have passed
  std::string note;                                 // said in the status bar for a few seconds
  bool note_is_new = false;
};

// What the timeline showed in this frame: commands such as "zoom in" act relative to it.
struct TimelineFeedback {
  Ps cursor = 0;  // time under the mouse
  bool cursor_valid = false;
  double rows_height = 0, content_height = 0;  // pixels: canvas and all rows
  float row = 19;                              // pixels of one row
};

class ViewerContext {
 public:
  ViewState& view;
  const SessionView& session;
  AppServices& services;
  Settings& settings;
  WindowState& windows;
  Search& search;
  const TimelineFeedback& timeline;
  std::span<const TimelineRun> runs;
  std::span<const std::vector<StepMarker>> steps;  // by run

  // The active run, or null. Index into session.runs and runs.
  const RunView* ActiveRun() const;
  RunViewState* ActiveView();
  int RunIndex(TraceId id) const;  // -1 if it is gone
  const TrackSet* Set(const EventRef& event) const;
  TimeRange RangeOf(const EventRef& event) const;  // empty if unknown
  // Target range of a run: what is set now, or its first view.
  TimeRange Visible() const;
  TimeRange Whole() const;           // all that the active run can show
  void SetVisible(TimeRange range);  // of the active run, kept inside Whole(); others follow
  // Shows the range with what is around it. What fits into the view is not shown smaller than
  // before, and with `closer_only` nothing is.
  void ZoomTo(TimeRange range, bool closer_only);
  void Reveal(const EventRef& event);  // selects and moves into view when it is not
};

}  // namespace stepscope
