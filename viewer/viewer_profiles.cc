// How a window follows the session's profiles: views, steps and what is compared.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/fleet/fleet.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/matching_events.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/viewer_state.h"

namespace stepscope {
namespace {

// The range that is shown at the start.
TimeRange FirstRange(const Trace& trace) {
  return trace.first_view.empty() ? trace.span : trace.first_view;
}

}  // namespace

void Viewer::State::SyncProfiles(const SessionView& session) {
  const OpenProfiles::Change change = open.Update(session, view);
  if (change.content) {
    ++content_generation;
    workspace.fit = kFramesToFit;
    settle = kFramesToFit;
    if (change.before.empty()) focus_timeline = 3;  // when all panels have been made
    if (change.profiles) {
      for (const Profile& profile : change.before) names.Forget(profile.trace->set.names.get());
      analyses.KeepOnly(profiles());
    }
    FollowProfiles(change.before);
    const bool replaced = !view.profiles.empty();
    if (!SyncViews() && replaced) search.Set("", profiles());
    if (!search.query().empty()) search.Refresh(profiles());
  }
  SyncSteps();
}

// Selects the same event when a whole profile replaces its part. A view of the first range shows
// the first range again when the clocks of its profile change.
void Viewer::State::FollowProfiles(std::span<const Profile> before) {
  for (const Profile& now : profiles()) {
    const bool part = FindProfile(before, now.follows) != nullptr;
    const Profile* old = FindProfile(before, part ? now.follows : now.id);
    if (part && view.selected.trace == old->id) SelectAgain(*old, now);
    const ProfileViewState* state = old == nullptr ? nullptr : view.Find(old->id);
    if (state == nullptr || old->trace == now.trace) continue;
    if (view.visible == state->map.ToShared(FirstRange(*old->trace)))
      view.visible = state->map.ToShared(FirstRange(*now.trace));
  }
}

// Selects the event in the whole profile that was selected in a part of it. The slices of a first
// picture stand for events that are not known yet.
void Viewer::State::SelectAgain(const Profile& part, const Profile& whole) {
  const EventRow row = part.arriving ? EventRow() : part.OwnRow(view.selected);
  const EventRow same = row.valid() ? SameEvent(*part.trace, row, *whole.trace) : EventRow();
  view.selected = same.valid() ? EventRef{whole.id, 0, same} : EventRef{};
}

void Viewer::State::SyncSteps() {
  // Steps come from the overview, which the verdict and the compare panel need anyway.
  for (const Profile& profile : profiles()) {
    const ProfileViewState* state = view.Find(profile.id);
    const bool shown = profile.id == view.active || view.baseline.valid();
    if (!shown || state == nullptr) continue;
    AnalysisParams params = ForHost(state->host);
    params.peaks = OwnPeaksOf(settings);  // as panels ask, so that the overview is computed once
    open.UseOverview(profile.id, analyses.Share(profile, "overview", params));
  }
  if (!open.TakeSteps()) return;
  settle = std::max(settle, 2);
  AlignByItself(profiles(), &view);
  FitBoth();
}

std::vector<Marker> Viewer::State::NotedMarkers(const Profile& profile) {
  std::string problem;
  std::vector<Marker> markers = notes.Read(profile, services, &problem);
  if (!problem.empty()) Do(ShowNote{std::move(problem)});
  return markers;
}

// Returns the view of the whole profile: the view of its part, with the markers that were kept.
ProfileViewState Viewer::State::Continued(const Profile& profile, const ProfileViewState& part) {
  ProfileViewState state = part;
  state.profile = profile.id;
  // The rules have the user's folds; which tracks begin folded depends on all events.
  state.collapsed = FoldedBy(settings.tracks, *profile.trace);
  for (const Marker& noted : NotedMarkers(profile)) {
    if (std::find(part.markers.begin(), part.markers.end(), noted) == part.markers.end())
      state.markers.push_back(noted);
  }
  std::stable_sort(state.markers.begin(), state.markers.end(),
                   [](const Marker& a, const Marker& b) { return a.range.begin < b.range.begin; });
  for (ProfileId* id : {&view.active, &view.baseline, &view.panel_profile})
    if (*id == part.profile) *id = profile.id;
  history = {};  // its steps are of the part
  return state;
}

bool Viewer::State::SyncViews() {
  std::vector<ProfileViewState> states;
  bool any_kept = false;
  for (const Profile& profile : profiles()) {
    if (const ProfileViewState* old = view.Find(profile.id)) {
      states.push_back(*old);
      any_kept = true;
      continue;
    }
    ProfileViewState fresh;
    if (const ProfileViewState* part = view.Find(profile.follows)) {
      any_kept = true;
      states.push_back(Continued(profile, *part));
      continue;
    }
    fresh.profile = profile.id;
    fresh.collapsed = FoldedBy(settings.tracks, *profile.trace);
    fresh.markers = NotedMarkers(profile);
    states.push_back(std::move(fresh));
    OpenPanelsOf(*profile.trace);
    const std::string& wanted = windows.open_place.path;
    if (!wanted.empty() && wanted == profile.trace->path) {
      const OpenPlace place = std::exchange(windows.open_place, {});
      view.active = profile.id;
      commands.Push("view.set_range", {.range = place.range, .profile = profile.id});
    }
  }
  view.profiles = std::move(states);
  const auto alive = [&](ProfileId id) { return view.Find(id) != nullptr; };
  if (!alive(view.active))
    view.active = view.profiles.empty() ? ProfileId() : view.profiles.front().profile;
  if (!alive(view.baseline)) view.baseline = {};
  if (!any_kept) view.visible = FirstView();
  if (profiles().size() == 2 && open.of_timeline().size() == 2 && !view.baseline.valid())
    BeginComparison();
  FitBoth();
  if (!alive(view.panel_profile)) view.panel_profile = {};
  if (!alive(view.selected.trace)) view.selected = {};
  view.shown.Drop([&](const EventRef& e) { return !alive(e.trace); });
  std::erase_if(windows.pinned, [&](const PanelKey& key) { return !alive(key.profile); });
  panels.Keep(alive);
  if (view.profiles.empty()) {
    view.measured = {};
    view.filters.clear();
  }
  if (any_kept) return true;
  history = {};  // its profiles are closed
  view.scroll_y = 0;
  return false;
}

// The panels that a profile of this kind is opened for. A job's overview is read before its ranks.
void Viewer::State::OpenPanelsOf(const Trace& trace) {
  if (HistoryOf(trace) != nullptr) ShowInFront("memory_snapshot");
  if (FleetOf(trace) != nullptr) {
    ShowInFront("fleet");
  } else if (trace.hosts.size() > 1) {
    windows.panels["ranks"] = true;
  }
}

void Viewer::State::ShowInFront(const char* panel) {
  panels.Focus({panel, ProfileId()});
  windows.panels[panel] = true;
  settle = 3;
}

// Makes the profile that was open first the baseline. In one list only the busiest tracks of both
// are shown, so that both are in sight.
void Viewer::State::BeginComparison() {
  view.baseline = profiles().front().id;
  const bool snapshot = AreSnapshotAndTrace(profiles()[0], profiles()[1]);
  const bool list = LayoutOfProfiles(settings, profiles().size()) == ProfileLayout::kList;
  for (const Profile& profile : profiles()) {
    if (list && (!snapshot || HistoryOf(*profile.trace) == nullptr))
      view.Find(profile.id)->only = BusiestTracks(*profile.trace);
  }
  // A snapshot below a trace is looked at together with it, not compared.
  if (snapshot) return;
  if (view.visible == FirstView()) both = view.visible;
  ShowInFront("compare");
}

// Shows all of both profiles, which move when their steps are found, until the user looks at
// something else.
void Viewer::State::FitBoth() {
  const bool untouched = !both.empty() && view.visible == both;
  both = untouched && view.baseline.valid() ? SpanOfCompared(profiles(), view) : TimeRange{};
  if (!both.empty()) view.visible = both;
}

TimeRange Viewer::State::FirstView() const {
  const Profile* profile = FindProfile(profiles(), view.active);
  const ProfileViewState* state = view.Find(view.active);
  if (profile == nullptr || state == nullptr) return {};
  return state->map.ToShared(FirstRange(*profile->trace));
}

}  // namespace stepscope
