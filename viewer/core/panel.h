// Panel: a dockable window that reads PanelContext and pushes commands; it keeps only the state of
// its widgets. viewer/core is what panels, timeline and shell share: look (colours, fonts, time
// axis), state (what the user looks at), profiles (what is open), search, and commands (what may
// change the state); each folder uses only those before it. To add a panel, write
// viewer/panels/foo_panel.cc, a row in viewer/panels/registry.cc and
// tests/viewer/panels/foo_panel_test.cc. UI thread only.
#pragma once

#include <span>
#include <string_view>

#include "viewer/core/commands/command.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/profiles/session_view.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

struct AnalysisParams;
class AnalysisCache;  // viewer/core/analysis_cache.h: results computed in the background
class JobQueue;       // model/jobs/latest_job.h
class KeyBindings;    // viewer/core/commands/keys.h
struct SearchHits;    // viewer/core/search/search.h
struct Fonts;         // viewer/core/look/fonts.h
struct Theme;

// The time under the mouse. The chart or timeline under the mouse sets it, and the others show it
// in the next frame. It is no part of the view's state: it goes when the mouse leaves.
struct PointedTime {
  Ps time = 0, next = 0;
  bool valid = false, has_next = false;
  void Set(Ps t) { next = t, has_next = true; }
  void NextFrame() { time = next, valid = has_next, has_next = false; }
};

struct PanelContext {
  const SessionStatus& session;
  const ViewState& view;
  AnalysisCache& analyses;
  JobQueue& jobs;   // runs what is too slow for a frame (LatestJob)
  JobQueue& later;  // the same, for what waits until the first sentence and searches are done
  const Settings& settings;
  const Theme& theme;
  const Fonts& fonts;
  const KeyBindings& keys;
  const SearchHits& search;  // what the search has found
  PointedTime& pointed;
  CommandQueue& commands;
  AppServices& services;
  std::span<const Profile> profiles;        // all that are open, with all that is known of them
  const Profile* profile = nullptr;         // the one that the panel shows, or null
  const ProfileViewState* state = nullptr;  // the view of `profile`, or null
  ProfileId pinned = {};  // the profile that the panel stays with; invalid: it follows the active
};

// The keys that a command has now; empty: none. Valid until bindings change.
std::string_view KeysOf(const PanelContext& context, const CommandDesc& command);

// The parameters that a panel gives analyses: the host and the range that its profile
// is limited to.
AnalysisParams ParamsOf(const PanelContext& context);
// The same for one of several open profiles, as comparisons need it.
AnalysisParams ParamsOf(const PanelContext& context, ProfileId profile);

class Panel {
 public:
  virtual ~Panel() = default;
  virtual void Draw(const PanelContext& context) = 0;  // fills the panel's window
  virtual bool animating() const { return false; }     // true: draw another frame at once
};

}  // namespace stepscope
