// Commands of tracks: fold, hide, pin, order, height, filter. They are kept as rules by name, for
// the next start and for the next profile with such tracks.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viewer/core/command_actions.h"
#include "viewer/core/folds.h"
#include "viewer/core/track_path.h"
#include "viewer/core/track_rules.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

TrackRules RulesOf(const C& c) { return ParseTrackRules(c.settings.Get("timeline.tracks")); }
void SetRules(C& c, const TrackRules& rules) { c.settings.Set("timeline.tracks", ToText(rules)); }
// For the next start, and the next profile with tracks of these names.
void KeepFoldsOf(C& c, const RunState& state) {
  TrackRules rules = RulesOf(c);
  KeepFolds(*c.RunOf(state.run)->trace, state.collapsed, &rules);
  SetRules(c, rules);
}
std::string LastPart(const std::string& path) { return path.substr(path.rfind('|') + 1); }

// Adds it, or takes it out; true if it was added.
bool Toggle(std::vector<std::string>* paths, const std::string& path) {
  const auto found = std::find(paths->begin(), paths->end(), path);
  if (found == paths->end()) {
    paths->push_back(path);
    return true;
  }
  paths->erase(found);
  return false;
}

}  // namespace

// What is folded in the open runs becomes what the rules say.
void FoldByRules(C& c) {
  const TrackRules rules = RulesOf(c);
  for (const Run& run : c.runs) {
    if (RunState* state = c.StateOf(run.id)) state->collapsed = FoldedBy(rules, *run.trace);
  }
}

void ToggleCollapse(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (state == nullptr || a.text.empty()) return;
  if (state->collapsed.erase(a.text) == 0) state->collapsed.insert(a.text);
  KeepFoldsOf(c, *state);
}
void CollapseAll(C& c, const A& a) {
  const Run* run = c.RunOf(a.run);
  RunState* state = c.StateOf(a.run);
  if (run == nullptr || state == nullptr) return;
  for (uint32_t p = 0; p < run->trace->planes.size(); ++p)
    state->collapsed.insert(PlanePath(*run->trace, PlaneId(p)));
  KeepFoldsOf(c, *state);
}
void ExpandAll(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (state == nullptr) return;
  state->collapsed.clear();
  KeepFoldsOf(c, *state);
}
bool HasHidden(const C& c) { return !RulesOf(c).hidden.empty(); }
void ToggleHidden(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules rules = RulesOf(c);
  const bool hides = rules.hidden.insert(a.text).second;
  if (!hides) rules.hidden.erase(a.text);
  SetRules(c, rules);
  if (hides) Say(c, "Hidden: " + LastPart(a.text));
}
void ShowHidden(C& c, const A&) {
  TrackRules rules = RulesOf(c);
  rules.hidden.clear();
  SetRules(c, rules);
}

void TogglePin(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules rules = RulesOf(c);
  const bool pins = Toggle(&rules.pinned, a.text);
  SetRules(c, rules);
  Say(c, (pins ? "Pinned: " : "No longer pinned: ") + LastPart(a.text));
}

void MoveTrack(C& c, const A& a) {
  if (a.text.empty()) return;
  TrackRules rules = RulesOf(c);
  std::erase(rules.order, a.text);
  rules.order.insert(a.number > 0 ? rules.order.end() : rules.order.begin(), a.text);
  SetRules(c, rules);
}

// Those before it are fixed too: without a rule they would come behind it.
void PlaceTrack(C& c, const A& a) {
  if (a.paths.empty()) return;
  TrackRules rules = RulesOf(c);
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
  SetRules(c, rules);
}

void LimitRows(C& c, const A& a) {
  constexpr double kMost = 10'000;
  if (a.text.empty()) return;
  TrackRules rules = RulesOf(c);
  if (a.number >= 1) {
    rules.rows[a.text] = static_cast<uint32_t>(std::min(a.number, kMost));
  } else {
    rules.rows.erase(a.text);
  }
  SetRules(c, rules);
}

// It is of the moment: the next profile is not to open with tracks missing.
void FilterTracks(C& c, const A& a) {
  for (RunState& run : c.view.runs) {
    run.track_filter = a.text;
    run.only.clear();
  }
}

void OnlySelected(C& c, const A& a) {
  RunState* state = c.StateOf(a.run);
  if (state == nullptr) return;
  if (!std::exchange(state->only, {}).empty()) return;
  std::vector<EventRef> events = c.view.shown.events();
  events.push_back(c.view.selected);
  const Run* run = c.RunOf(a.run);
  std::set<std::pair<uint32_t, uint32_t>> tracks;
  for (const EventRef& event : events) {
    const TrackSet* set = run->SetOf(event);
    if (set != nullptr) tracks.insert({event.set, set->TrackOf(event.row).value});
  }
  for (const auto& [set, track] : tracks)
    state->only.insert(TrackPath(*run->trace, run->Set(set), TrackId(track)));
  if (state->only.empty()) Say(c, "Select events first: their tracks stay");
}

bool HasOrder(const C& c) {
  const TrackRules rules = RulesOf(c);
  return !rules.pinned.empty() || !rules.order.empty();
}

void UnpinAll(C& c, const A&) {
  TrackRules rules = RulesOf(c);
  rules.pinned.clear();
  rules.order.clear();
  SetRules(c, rules);
}

// Without a text the choice behind the one that there is.
void SortTracks(C& c, const A& a) {
  constexpr const char* kKey = "timeline.track_sort";
  const std::string choices = FindSetting(kKey)->choices + std::string("|");
  const std::string now = c.settings.Get(kKey) + "|";
  const size_t next = (choices.find(now) + now.size()) % choices.size();
  const std::string chosen =
      a.text.empty() ? choices.substr(next, choices.find('|', next) - next) : a.text;
  if (c.settings.Set(kKey, chosen))
    Say(c, "Tracks of a plane: " + (chosen == "as recorded" ? chosen : "by " + chosen));
}

void ResetLayout(C& c, const A&) {
  c.windows.reset_layout = true;
  for (const char* key : {"timeline.tracks", "timeline.python_frames", "timeline.derived_lanes",
                          "timeline.waiting_lanes", "timeline.track_sort"})
    c.settings.Set(key, FindSetting(key)->standard);
  FoldByRules(c);
}

}  // namespace stepscope::actions
