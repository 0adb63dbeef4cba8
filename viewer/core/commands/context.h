// ViewerContext: what a command reads and changes. CommandDesc::apply gets it at the end of a
// frame; nobody keeps it. UI thread only.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "viewer/core/commands/command.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/profiles/session_view.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/view_state.h"

namespace stepscope {

// ViewHistory: the views that the user can go back to, with the arrangement of tracks. Panning and
// zooming take many small steps; steps that follow each other quickly count as one view, and so do
// all changes while one mouse button is held. Plain data; UI thread only.
class ViewHistory {
 public:
  static constexpr size_t kMost = 200;        // the oldest are forgotten
  static constexpr double kOneGesture = 0.7;  // seconds between changes that belong together
  // Seconds after a change of tracks in which the timeline may scroll by itself to what is left.
  static constexpr double kSettles = 0.3;

  // A view, and the settings that arrange its tracks.
  struct Place {
    ViewState view;
    TrackArrangement arrangement;
    bool operator==(const Place&) const = default;
  };
  // The part of a view that is brought back is all but the highlighted events and the count of
  // reveals. O(folded tracks)
  static Place PlaceOf(const ViewState& view, const Settings& settings);
  // Notes that commands changed `before` into `now`. `seconds` is the time since any fixed moment.
  // `press` is the number of the mouse press during which they did; 0: no button was down.
  void Note(const Place& before, const Place& now, double seconds, uint64_t press = 0);
  // Goes back or forward; false if there is no such view. A profile that was closed stays closed.
  bool Back(ViewState* view, Settings* settings);
  bool Forward(ViewState* view, Settings* settings);
  bool CanGoBack() const { return !back_.empty(); }
  bool CanGoForward() const { return !forward_.empty(); }

 private:
  static void Swap(std::deque<Place>* from, std::deque<Place>* to, ViewState* view,
                   Settings* settings);

  std::deque<Place> back_, forward_;
  double last_ = 0;        // when a view was last noted
  uint64_t press_ = 0;     // during which it was
  bool gesture_ = false;   // the last change moved the visible part only
  bool arranged_ = false;  // the last change was another one
  bool restored_ = false;  // the next change was made by Back or Forward
};

// One window of a panel: the one that shows the active profile, or one that is pinned to a profile.
struct PanelKey {
  std::string panel;  // id
  ProfileId profile;  // invalid: the active one
  auto operator<=>(const PanelKey&) const = default;
};

enum class DialogMode { kFiles, kFolders, kSave, kCompare };

// The content that is written once the user has chosen where.
struct SaveRequest {
  std::string name, contents;             // name: suggested, without a folder
  std::optional<PictureRequest> picture;  // a part of the window, instead of `contents`
  bool of_view = false;                   // the timeline as it is shown, instead of both
  ProfileId profile = {};                 // if valid: this profile, instead of all of these
  TimeRange range = {};                   // its part; empty: all of it
};

// The profile and the time whose critical path the timeline shows; an empty range: none.
struct PathShown {
  ProfileId profile;
  TimeRange range;
};

// Where the view goes when a profile that is being opened is there.
struct OpenPlace {
  std::string path;  // of the profile; empty: none
  TimeRange range;   // in its time
};

// What a command asks a part of the window to do once. The viewer hands each request to the part
// at the end of the frame.
struct FocusSearch {
  std::string typed;  // what was typed already: the box takes it
};
struct FocusPalette {
  std::string typed;
};
struct ToggleMenuBar {};  // opens the menu bar for the keyboard, or closes its menu
struct ResetLayout {};
struct SwitchTallPanels {};  // gives the panels two thirds of the height, or takes it back
struct FocusPanel {          // brings the panel to the front with the keyboard
  PanelKey panel;
};
struct RaisePanel {  // puts the panel in front of the other tabs; the keyboard stays where it is
  std::string panel;
};
// Saves the timeline as it is shown: vectors for a path that ends in .svg, else a PNG.
struct SaveTimeline {
  std::string path;
  bool replace = false;  // a file there is written over
  int wait = 2;          // frames: menus and dialogs close first
};
struct ShowNote {  // in the status bar, for a few seconds
  std::string text;
};
using WindowRequest =
    std::variant<FocusSearch, FocusPalette, ToggleMenuBar, ResetLayout, SwitchTallPanels,
                 FocusPanel, RaisePanel, PictureRequest, SaveTimeline, ShowNote>;

// Says which windows and popups are open. Changed only by commands.
struct WindowState {
  bool help = false, palette = false, settings = false, file_dialog = false, capture = false;
  DialogMode dialog_mode = DialogMode::kFiles;
  SaveRequest save;                      // what the dialog saves in the mode kSave
  const SettingDesc* setting = nullptr;  // the one that the settings page points at; null: none
  std::map<std::string, bool, std::less<>> panels;  // open or closed, by id
  std::set<PanelKey> pinned;  // windows open beside them, for one profile each
  PathShown path;
  OpenPlace open_place;
  // The only tracks of each profile that are shown once all profiles lie in one list again.
  std::map<ProfileId, TrackRules::Paths> only_in_list;
  bool light_desktop = false;           // the desktop asks for light windows
  std::vector<WindowRequest> requests;  // in the order of the commands
};

// The parts that the timeline showed in this frame, for commands such as "zoom in".
struct TimelineFeedback {
  Ps cursor = 0;  // time under the mouse
  bool cursor_valid = false;
  double rows_height = 0, content_height = 0;  // pixels: canvas and all rows
  float row = 19;                              // pixels of one row
  // The areas where each profile has rows of its own. The fields above are the
  // active profile's then.
  struct Area {
    ProfileId profile;
    double rows_height = 0, content_height = 0;
  };
  std::vector<Area> areas;
};

class ViewerContext {
 public:
  ViewState& view;
  const SessionStatus& session;
  AppServices& services;
  Settings& settings;
  WindowState& windows;
  Search& search;
  ViewHistory& history;
  const TimelineFeedback& timeline;
  std::span<const Profile> profiles;

  // The open profile of an id, or the active one for an invalid id; null if it is closed. StateOf
  // returns its view.
  const Profile* ProfileOf(ProfileId profile = {}) const;
  ProfileViewState* StateOf(ProfileId profile = {});
  const ProfileViewState* StateOf(ProfileId profile = {}) const;
  const TrackSet* Set(const EventRef& event) const;
  TimeRange RangeOf(const EventRef& event) const;  // in its profile's time; empty: no such event
  // Ranges from here on are in the time of `profile`, or of the active one.
  TimeRange Visible(ProfileId profile = {}) const;  // where an animation ends
  // All that can be shown: the profile, or both where two are compared.
  TimeRange Whole(ProfileId profile = {}) const;
  void SetVisible(TimeRange range, ProfileId profile = {});  // kept inside Whole()
  void SetMeasured(TimeRange range, ProfileId profile = {});
  // Shows the range with some time around it. A range that fits into the view is never shown
  // smaller than before, and with `closer_only` no range is.
  void ZoomTo(TimeRange range, bool closer_only, ProfileId profile = {});
  void Reveal(const EventRef& event);  // selects the event, and moves it into view if it is not
  // Shows the tracks of these events too where only some tracks are shown.
  void ShowTracksOf(std::span<const EventRef> events);
};

// The theme that the setting "theme" asks for; "system": light or dark as the desktop is.
ThemeKind ThemeOf(const Settings& settings, const WindowState& windows);
// The limits of devices that the setting "peaks" states; empty if it cannot be read.
std::vector<OwnPeaks> OwnPeaksOf(const Settings& settings);

// Applies the enabled commands of the queue, and those that they push. Scripts and tables of closed
// profiles may hold anything, so arguments are made safe first: events without a profile get the
// active one, events that do not exist are removed, and pixels are bounded. UI thread only.
void ApplyCommands(ViewerContext& context, CommandQueue* commands);

}  // namespace stepscope
