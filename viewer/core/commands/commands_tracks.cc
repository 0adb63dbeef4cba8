// Commands that fold, hide, pin, order, limit and filter tracks. Most change rules by path, which a
// setting keeps for the next start and for the next profile with such tracks.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/base/digits.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"

namespace stepscope::commands {
namespace {

// Keeps what is folded for the next start and for other profiles with such tracks.
void KeepFoldsOf(C& c, const ProfileViewState& state) {
  KeepFolds(*c.ProfileOf(state.profile)->trace, state.collapsed, &c.settings.tracks);
}

// Adds the path or takes it out; true if it was added.
bool Toggle(std::vector<std::string>* paths, const std::string& path) {
  const auto found = std::find(paths->begin(), paths->end(), path);
  if (found == paths->end()) {
    paths->push_back(path);
    return true;
  }
  paths->erase(found);
  return false;
}

void ToggleCollapse(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr || a.text.empty()) return;
  if (state->collapsed.erase(a.text) == 0) state->collapsed.insert(a.text);
  KeepFoldsOf(c, *state);
}
void CollapseAll(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  ProfileViewState* state = c.StateOf(a.profile);
  if (profile == nullptr || state == nullptr) return;
  for (uint32_t p = 0; p < profile->trace->planes.size(); ++p)
    state->collapsed.insert(PlanePath(*profile->trace, PlaneId(p)));
  KeepFoldsOf(c, *state);
}
void ExpandAll(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr) return;
  state->collapsed.clear();
  KeepFoldsOf(c, *state);
}
bool HasHidden(const C& c) { return !c.settings.tracks.hidden.empty(); }
void ToggleHidden(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules& rules = c.settings.tracks;
  const bool hides = rules.hidden.insert(a.text).second;
  if (!hides) rules.hidden.erase(a.text);
  if (hides) Say(c, "Hidden: " + NameInPath(a.text));
}
void ShowHidden(C& c, const A&) {
  TrackRules& rules = c.settings.tracks;
  rules.hidden.clear();
}

// Pins tracks one below the other, or lets them go if all of them are pinned.
void TogglePins(C& c, const std::vector<std::string>& paths) {
  TrackRules& rules = c.settings.tracks;
  const auto pinned = [&](const std::string& path) {
    return std::find(rules.pinned.begin(), rules.pinned.end(), path) != rules.pinned.end();
  };
  const bool all = std::all_of(paths.begin(), paths.end(), pinned);
  std::erase_if(rules.pinned, [&](const std::string& path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  });
  if (!all) rules.pinned.insert(rules.pinned.begin(), paths.begin(), paths.end());
}

void TogglePin(C& c, const A& a) {
  if (!a.paths.empty()) return TogglePins(c, a.paths);
  if (a.text.empty()) return;
  TrackRules& rules = c.settings.tracks;
  const bool pins = Toggle(&rules.pinned, a.text);
  Say(c, (pins ? "Pinned: " : "No longer pinned: ") + NameInPath(a.text));
}

void MoveTrack(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules& rules = c.settings.tracks;
  std::erase(rules.order, a.text);
  rules.order.insert(a.to_end ? rules.order.end() : rules.order.begin(), a.text);
}

// Puts the last of the paths behind the others. The others get rules too: tracks without a rule
// come behind those with one.
void PlaceTrack(C& c, const A& a) {
  if (a.paths.empty()) return;
  TrackRules& rules = c.settings.tracks;
  const bool pins =
      std::find(rules.pinned.begin(), rules.pinned.end(), a.paths.back()) != rules.pinned.end();
  std::vector<std::string>& order = pins ? rules.pinned : rules.order;
  std::vector<std::string> placed;
  TrackRules::Paths seen;
  for (const std::string& path : a.paths) {
    if (seen.insert(path).second) placed.push_back(path);
  }
  std::erase_if(order, [&](const std::string& path) { return seen.contains(path); });
  order.insert(order.begin(), placed.begin(), placed.end());
}

void LimitRows(C& c, const A& a) {
  constexpr int64_t kMost = 10'000;
  if (a.text.empty()) return;
  TrackRules& rules = c.settings.tracks;
  if (a.rows >= 1) {
    rules.rows[a.text] = static_cast<uint32_t>(std::min(a.rows, kMost));
  } else {
    rules.rows.erase(a.text);
  }
}

// A name is one line without tabs, which stand before paths in the kept text.
void RenameTrack(C& c, const A& a) {
  constexpr size_t kLongestName = 200;
  if (a.paths.empty() || a.paths.front().empty()) return;
  std::string name = a.text.substr(0, kLongestName);
  std::replace_if(
      name.begin(), name.end(), [](char ch) { return static_cast<unsigned char>(ch) < ' '; }, ' ');
  TrackRules& rules = c.settings.tracks;
  const bool blank = name.find_first_not_of(' ') == std::string::npos;
  if (blank) {
    rules.names.erase(a.paths.front());
  } else {
    rules.names[a.paths.front()] = name;
  }
}

void ColorTrack(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules& rules = c.settings.tracks;
  if (a.color >= 1 && a.color <= int64_t{kMarkerColors}) {
    rules.colors[a.text] = static_cast<uint32_t>(a.color);
  } else {
    rules.colors.erase(a.text);
  }
}

bool HasLooks(const C& c) {
  const TrackRules& rules = c.settings.tracks;
  return !rules.names.empty() || !rules.colors.empty();
}

void ResetLooks(C& c, const A&) {
  TrackRules& rules = c.settings.tracks;
  rules.names.clear();
  rules.colors.clear();
}

// No rule keeps the filter: the next profile must not open with tracks missing.
void FilterTracks(C& c, const A& a) {
  for (ProfileViewState& profile : c.view.profiles) {
    profile.track_filter = a.text;
    profile.only.clear();
  }
}

bool HasTracksToShow(const C& c) {
  const auto& profiles = c.view.profiles;
  return HasSelection(c) || !c.view.shown.empty() ||
         std::any_of(profiles.begin(), profiles.end(),
                     [](const ProfileViewState& r) { return !r.only.empty(); });
}

bool OnlySelectedOn(const C& c) {
  const ProfileViewState* state = c.StateOf();
  return state != nullptr && !state->only.empty();
}
void OnlySelected(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr) return;
  if (!std::exchange(state->only, {}).empty()) return;
  std::vector<EventRef> events = c.view.shown.events();
  events.push_back(c.view.selected);
  const Profile* profile = c.ProfileOf(a.profile);
  std::set<std::pair<uint32_t, uint32_t>> tracks;
  for (const EventRef& event : events) {
    const TrackSet* set = profile->SetOf(event);
    if (set != nullptr) tracks.insert({event.set, set->TrackOf(event.row).value});
  }
  for (const auto& [set, track] : tracks)
    state->only.insert(TrackPath(*profile->trace, profile->Set(set), TrackId(track)));
  if (state->only.empty()) Say(c, "Select events first; then only their tracks are shown");
}

// The tracks at a path, which names a track or a plane, with the set of each.
std::vector<std::pair<uint32_t, TrackId>> TracksAt(const Profile& profile,
                                                   const std::string& path) {
  std::vector<std::pair<uint32_t, TrackId>> out;
  for (uint32_t set = 0; set < profile.sets() && !path.empty(); ++set) {
    for (uint32_t t = 0; t < profile.Set(set).tracks.size(); ++t) {
      const std::string own = TrackPath(*profile.trace, profile.Set(set), TrackId(t));
      if (own == path || own.starts_with(path + '|')) out.emplace_back(set, TrackId(t));
    }
  }
  return out;
}

// Shows only the tracks at a path; again: all.
void OnlyTrack(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  const Profile* profile = c.ProfileOf(a.profile);
  if (state == nullptr || profile == nullptr) return;
  TrackRules::Paths only;
  for (const auto& [set, track] : TracksAt(*profile, a.text))
    only.insert(TrackPath(*profile->trace, profile->Set(set), track));
  if (state->only == only) only.clear();
  state->only = std::move(only);
}

void SelectTrack(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  std::vector<EventRef> events;
  uint64_t all = 0;
  for (const auto& [set, track] : TracksAt(*profile, a.text)) {
    const TrackSet& tracks = profile->Set(set);
    for (const Lane& lane : tracks.LanesOf(tracks.tracks[track.value])) {
      all += lane.size();
      for (uint32_t i = 0; i < lane.size() && events.size() < kMaxHighlightedEvents; ++i)
        events.push_back({profile->id, set, EventRow(lane.first_row + i)});
    }
  }
  if (events.empty()) return Say(c, "No events on " + NameInPath(a.text));
  const size_t shown = events.size();
  c.view.shown.Set(std::move(events));
  c.view.active = profile->id;
  c.view.selected = {};
  Request(c, RaisePanel{"selection"});
  Say(c, (shown < all ? "The first " + GroupDigits(shown) + " of " : std::string()) +
             Counted(all, "events") + " of " + NameInPath(a.text) + " selected");
}

bool HasOrder(const C& c) {
  const TrackRules& rules = c.settings.tracks;
  return !rules.pinned.empty() || !rules.order.empty();
}

void UnpinAll(C& c, const A&) {
  TrackRules& rules = c.settings.tracks;
  rules.pinned.clear();
  rules.order.clear();
}

// Without a text the next choice is taken.
void SortTracks(C& c, const A& a) {
  const SettingDesc& row = SettingDescOf(&Settings::track_sort);
  const auto choices = ChoiceTexts(row.member);
  const size_t next = (ChoiceIndex(c.settings, row.member) + 1) % choices.size();
  const std::string chosen = a.text.empty() ? choices[next] : a.text;
  const bool recorded = chosen == choices.front();
  if (SetSetting(row, chosen, &c.settings))
    Say(c, "Tracks of a plane: " + (recorded ? chosen : "by " + chosen));
}

constexpr CommandDesc kTrack[] = {
    {"view.toggle_collapse", "Fold or unfold", "", "Folds or unfolds a plane or track.", "", "",
     HasEvents, ToggleCollapse},
    {"view.collapse_all", "Fold all", "View",
     "Folds each device and host into one row that shows when it is busy.", "collapse", "",
     HasEvents, CollapseAll},
    {"view.expand_all", "Unfold all", "View", "Unfolds all devices, hosts and tracks.", "expand",
     "", HasEvents, ExpandAll},
    {"view.toggle_hidden", "Hide", "",
     "Hides or shows planes and tracks of a name, in all profiles.", "", "", HasEvents,
     ToggleHidden},
    {"track.pin", "Pin to the top", "",
     "Pins or unpins tracks of a name above all others, in all profiles.", "", "", HasEvents,
     TogglePin},
    {"track.move", "Move track", "",
     "Moves a plane or track to the top of its group; given 1, below those that were moved.", "",
     "", HasEvents, MoveTrack, nullptr, &A::to_end},
    {"track.place", "Place track", "",
     "Moves a track or plane behind others of its group; the last path names it, the others "
     "those before it.",
     "", "", HasEvents, PlaceTrack},
    {"track.rows", "Limit the height of a track", "",
     "Limits how many rows tracks of a name are drawn with; 0 removes the limit.", "", "",
     HasEvents, LimitRows, nullptr, &A::rows},
    {"track.rename", "Rename", "",
     "Gives tracks and planes at a path another name, in all profiles; given none, the recorded "
     "one.",
     "", "", HasEvents, RenameTrack},
    {"track.color", "Colour", "",
     "Marks tracks and planes at a path with a colour, 1 to 6, in all profiles; 0 takes it off.",
     "", "", HasEvents, ColorTrack, nullptr, &A::color},
    {"track.reset_looks", "Reset names and colours of tracks", "View",
     "Restores the recorded names of all tracks, and takes their colours off.",
     "rename recolour original", "", HasLooks, ResetLooks},
    {"track.sort", "Next order of tracks", "View",
     "Orders the tracks of each plane by name, busy time, number of events, or as recorded; "
     "given a text, by that.",
     "sort tracks order busiest alphabetical", "", HasEvents, SortTracks},
    {"track.filter", "Show tracks by name", "",
     "Shows only tracks whose name or plane has all of some words; given nothing, all tracks.", "",
     "", HasEvents, FilterTracks},
    {"track.only", "Only this", "",
     "Shows only this track, or this plane's tracks; all again if they are shown alone.", "", "",
     HasEvents, OnlyTrack},
    {"track.select", "Select all events on it", "",
     "Selects all events of a track, or of a plane's tracks.", "", "", HasEvents, SelectTrack},
    {"track.only_selected", "Only tracks of the selection", "View",
     "Shows only tracks with selected events, or all tracks again.", "isolate filter", "",
     HasTracksToShow, OnlySelected, OnlySelectedOn},
    {"track.unpin_all", "Unpin all tracks", "View", "Unpins all tracks and restores their order.",
     "unpin reset order", "", HasOrder, UnpinAll},
    {"view.show_hidden", "Show hidden tracks", "View", "Shows the tracks that were hidden.",
     "planes unhide", "", HasHidden, ShowHidden},
};

}  // namespace

void FoldByRules(C& c) {
  const TrackRules& rules = c.settings.tracks;
  for (const Profile& profile : c.profiles) {
    if (ProfileViewState* state = c.StateOf(profile.id))
      state->collapsed = FoldedBy(rules, *profile.trace);
  }
}

std::span<const CommandDesc> TrackCommands() { return kTrack; }

}  // namespace stepscope::commands
