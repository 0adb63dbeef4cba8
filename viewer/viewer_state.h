// Viewer::State: all that a window keeps from one frame to the next. viewer_frame.cc draws frames
// with it, and viewer_profiles.cc follows the session's profiles. No other source includes this
// header. UI thread only.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "viewer/core/analysis_cache.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/look/fonts.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/panel.h"
#include "viewer/core/profile_notes.h"
#include "viewer/core/profiles/open_profiles.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/view_state.h"
#include "viewer/panels/fleet/fleet_map.h"
#include "viewer/shell/capture_dialog.h"
#include "viewer/shell/file_dialog.h"
#include "viewer/shell/keyboard.h"
#include "viewer/shell/panel_windows.h"
#include "viewer/shell/shell.h"
#include "viewer/shell/verdict_strip.h"
#include "viewer/timeline/timeline_split_view.h"
#include "viewer/viewer.h"

namespace stepscope {

struct Viewer::State {
  State(AppServices& app, TexelSink* gl, ViewerConfig c)
      : services(app),
        sink(gl != nullptr ? *gl : fallback),
        config(std::move(c)),
        analyses(app.scheduler()),
        jobs(app.scheduler(), Urgency::kSoon),
        later(app.scheduler(), Urgency::kRest),
        listings(app.scheduler(), Urgency::kBlocking),
        searches(app.scheduler(), Urgency::kFirst),
        open(jobs, later),
        search(searches),
        dialog(listings) {}

  void ApplyLook();
  ProfileViewState Continued(const Profile& profile, const ProfileViewState& part);
  void SelectAgain(const Profile& part, const Profile& whole);
  void SyncProfiles(const SessionView& session);
  void FollowProfiles(std::span<const Profile> before);
  bool SyncViews();  // whether a profile that was open still is
  std::vector<Marker> NotedMarkers(const Profile& profile);
  void OpenPanelsOf(const Trace& trace);
  void ShowInFront(const char* panel);
  void BeginComparison();
  void FitBoth();
  TimeRange FirstView() const;
  void SyncSteps();
  void HandleKeys(const ViewerContext& context);
  void DrawTimeline(const PanelContext& panel);
  bool ShowsFleet() const;
  TimelineFeedback Feedback() const;
  void SaveTimelines();
  void FollowFocus();
  void DoRequests();
  void Do(FocusSearch request) { menu_bar.search.Focus(request.typed, false); }
  void Do(FocusPalette request) { palette.Open(request.typed); }
  void Do(ToggleMenuBar) { menu_bar.toggle = true; }
  void Do(ResetLayout) { workspace.reset = true; }
  void Do(SwitchTallPanels) { workspace.switch_tall = true; }
  void Do(FocusPanel request) { panels.Focus(std::move(request.panel)); }
  void Do(RaisePanel request) { panels.Raise(std::move(request.panel)); }
  void Do(PictureRequest request) { pictures.push_back(std::move(request)); }
  void Do(SaveTimeline request) { timelines_to_save.push_back(std::move(request)); }
  void Do(ShowNote request);
  void Apply(ViewerContext& context);
  std::span<const Profile> profiles() const { return open.all(); }
  ViewerContext MakeContext(const SessionView& session) {
    return {view,      session, services, settings, windows, search, history, timeline.feedback(),
            profiles()};
  }

  AppServices& services;
  DrawListSink fallback;
  TexelSink& sink;
  ViewerConfig config;
  CommandQueue commands;
  Settings settings;
  ViewState view;
  ViewHistory history;
  WindowState windows;
  ProfileNotes notes;
  Fonts fonts;
  Theme theme;
  NameCache names;
  AnalysisCache analyses;
  // Declared before all that start jobs on them, so that they are joined last.
  JobQueue jobs;
  JobQueue later;
  JobQueue listings;  // list folders: a network may take for ever, and no frame waits for it
  JobQueue searches;  // short jobs that the user waits for while typing
  OpenProfiles open;
  Search search;
  FileDialog dialog;
  CaptureDialog capture_dialog;
  TimelineSplitView timeline;
  FleetMapView fleet;
  MenuBarState menu_bar;
  AltTap alt_tap;
  KeyEditor key_editor;
  PaletteState palette;
  KeyBindings bindings;
  BoundKeys keys{bindings};
  PanelWindows panels;
  std::string default_ini;
  float looked_scale = 0;  // that the style was made for; 0: none was made
  TimeRange both;          // what FitBoth() has shown last; empty: the user looks at something else
  uint64_t content_generation = 1, session_notes = 0;
  int settle = 3;  // frames until layout and fonts have settled
  WorkspaceState workspace;
  int layout_built = 0;  // frames since the default layout was built, while its text is not taken
  PointedTime pointed;
  std::vector<PictureRequest> pictures;         // taken when their frames have passed
  std::vector<SaveTimeline> timelines_to_save;  // taken when their frames have passed
  std::string note;                             // in the status bar until note_until
  std::chrono::steady_clock::time_point note_until{};
  VerdictSums verdict;
  bool waits_for_verdict = false;
  bool jobs_running = false;  // jobs run that were not told to stop
  InputOwner input_owner;
  int focus_timeline = 0;  // frames until it has the keyboard
};

}  // namespace stepscope
