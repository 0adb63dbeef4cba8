#include "viewer/core/commands/context.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

// True if the views differ only in what is in sight: another time, or tracks further down.
bool OnlyMoved(ViewState a, const ViewState& b) {
  a.visible = b.visible;
  a.scroll_y = b.scroll_y;
  for (ProfileViewState& profile : a.profiles) {
    if (const ProfileViewState* other = b.Find(profile.profile)) profile.scroll_y = other->scroll_y;
  }
  return a == b;
}

bool IsOpen(const ViewState& view, ProfileId profile) { return view.Find(profile) != nullptr; }

// Brings a place back into a view whose profiles may have changed since.
void Restore(const ViewState& place, ViewState* view) {
  view->visible = place.visible;
  view->scroll_y = place.scroll_y;
  view->filters = place.filters;
  view->measured = place.measured;
  view->tool = place.tool;
  if (!place.selected.valid() || IsOpen(*view, place.selected.trace))
    view->selected = place.selected;
  if (IsOpen(*view, place.active)) view->active = place.active;
  if (IsOpen(*view, place.baseline)) view->baseline = place.baseline;
  for (const ProfileViewState& profile : place.profiles) {
    if (ProfileViewState* open = view->Find(profile.profile)) *open = profile;
  }
}

void PushTo(std::deque<ViewHistory::Place>* places, ViewHistory::Place place) {
  places->push_back(std::move(place));
  if (places->size() > ViewHistory::kMost) places->pop_front();
}

}  // namespace

ViewHistory::Place ViewHistory::PlaceOf(const ViewState& view, const Settings& settings) {
  Place place;
  place.view.profiles = view.profiles;
  place.view.visible = view.visible;
  place.view.scroll_y = view.scroll_y;
  place.view.filters = view.filters;
  place.view.measured = view.measured;
  place.view.tool = view.tool;
  place.view.selected = view.selected;
  place.view.active = view.active;
  place.view.baseline = view.baseline;
  place.arrangement = settings;
  return place;
}

void ViewHistory::Note(const Place& before, const Place& now, double seconds, uint64_t press) {
  if (std::exchange(restored_, false)) {
    arranged_ = true;
    last_ = seconds;
    return;
  }
  if (before == now) return;
  const bool tracks = before.arrangement != now.arrangement;
  const bool moved = !tracks && OnlyMoved(before.view, now.view);
  const bool quickly = moved && gesture_ && seconds - last_ < kOneGesture;
  const bool held = press != 0 && press == press_;
  // The scroll that follows from other tracks is taken back with them, and is no step of its own.
  const bool scrolled = moved && before.view.visible == now.view.visible;
  if (scrolled && arranged_ && seconds - last_ < kSettles) return;
  arranged_ = !moved;
  gesture_ = moved;
  press_ = press;
  last_ = seconds;
  forward_.clear();
  if (back_.empty() || (!quickly && !held)) PushTo(&back_, before);
}

// Leads to the last place of `from`, and keeps the present one in `to`.
void ViewHistory::Swap(std::deque<Place>* from, std::deque<Place>* to, ViewState* view,
                       Settings* settings) {
  PushTo(to, PlaceOf(*view, *settings));
  Restore(from->back().view, view);
  static_cast<TrackArrangement&>(*settings) = std::move(from->back().arrangement);
  from->pop_back();
}

bool ViewHistory::Back(ViewState* view, Settings* settings) {
  if (back_.empty()) return false;
  Swap(&back_, &forward_, view, settings);
  gesture_ = false;
  press_ = 0;
  restored_ = true;
  return true;
}

bool ViewHistory::Forward(ViewState* view, Settings* settings) {
  if (forward_.empty()) return false;
  Swap(&forward_, &back_, view, settings);
  gesture_ = false;
  press_ = 0;
  restored_ = true;
  return true;
}

const Profile* ViewerContext::ProfileOf(ProfileId profile) const {
  return FindProfile(profiles, profile.valid() ? profile : view.active);
}

ProfileViewState* ViewerContext::StateOf(ProfileId profile) {
  return view.Find(profile.valid() ? profile : view.active);
}

const ProfileViewState* ViewerContext::StateOf(ProfileId profile) const {
  return std::as_const(view).Find(profile.valid() ? profile : view.active);
}

const TrackSet* ViewerContext::Set(const EventRef& event) const {
  const Profile* profile = FindProfile(profiles, event.trace);
  return profile != nullptr ? profile->SetOf(event) : nullptr;
}

TimeRange ViewerContext::RangeOf(const EventRef& event) const {
  const TrackSet* set = Set(event);
  if (set == nullptr) return {};
  const Ps start = set->Start(event.row);
  return {start, SaturatingAdd(start, std::max<Ps>(1, set->Duration(event.row)))};
}

TimeRange ViewerContext::Visible(ProfileId profile) const {
  return view.VisibleIn(profile.valid() ? profile : view.active);
}

TimeRange ViewerContext::Whole(ProfileId id) const {
  const Profile* profile = ProfileOf(id);
  if (profile == nullptr) return {};
  const TimeRange whole = SpanOf(*profile->trace);
  const Profile* compared = FindComparedProfile(profiles, view);
  const ProfileViewState* state = StateOf(id);
  if (compared == nullptr || state == nullptr) return whole;
  if (AreSnapshotAndTrace(*compared, *FindProfile(profiles, view.baseline))) return whole;
  return state->map.ToTrace(SpanOfCompared(profiles, view));
}

void ViewerContext::ShowTracksOf(std::span<const EventRef> events) {
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
  for (const EventRef& event : events) {
    ProfileViewState* state = event.valid() ? StateOf(event.trace) : nullptr;
    const TrackSet* set = Set(event);
    if (state == nullptr || state->only.empty() || set == nullptr) continue;
    const TrackId track = set->TrackOf(event.row);
    if (seen.insert({event.trace.value, event.set, track.value}).second)
      state->only.insert(TrackPath(*ProfileOf(event.trace)->trace, *set, track));
  }
}

void ViewerContext::SetVisible(TimeRange range, ProfileId profile) {
  constexpr Ps kShortest = 10;  // ps across the whole canvas: nothing in a profile is finer
  const ProfileViewState* state = StateOf(profile);
  if (state == nullptr || ProfileOf(profile) == nullptr) return;
  if (range.length() < kShortest) range.end = SaturatingAdd(range.begin, kShortest);
  view.visible = state->map.ToShared(KeepInside(range, Whole(profile)));
}

void ViewerContext::SetMeasured(TimeRange range, ProfileId profile) {
  const ProfileViewState* state = StateOf(profile);
  view.measured = state != nullptr ? state->map.ToShared(range) : TimeRange{};
}

void ViewerContext::ZoomTo(TimeRange range, bool closer_only, ProfileId profile) {
  if (range.empty()) return;
  const Ps shown = Visible(profile).length();
  // The view is 2.5 times as long as the range, to keep some context.
  const Ps margin = std::max<Ps>(SaturatingMul(range.length(), 3) / 4, 5);
  Ps length = SaturatingAdd(range.length(), SaturatingMul(margin, 2));
  // A range that fits into the view is not shown from further away: that is no zoom to it.
  if (shown > 0 && (closer_only || range.length() <= shown)) length = std::min(length, shown);
  const Ps middle = SaturatingAdd(range.begin, range.length() / 2);
  SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)},
             profile);
}

void ViewerContext::Reveal(const EventRef& event) {
  const TimeRange range = RangeOf(event);
  if (range.empty()) return;
  view.selected = event;
  view.active = event.trace;
  ++view.reveals;
  ShowTracksOf({&event, 1});
  const TimeRange visible = Visible(event.trace);
  const bool begins = range.begin >= visible.begin && range.begin < visible.end;
  const bool fits = range.length() <= visible.length();
  // The event is in sight already, or it fills the view.
  if (fits ? begins : range.begin <= visible.begin && range.end >= visible.end) return;
  if (fits) {  // keeps the zoom
    const Ps length = visible.length(), middle = range.begin + range.length() / 2;
    SetVisible({SaturatingSub(middle, length / 2), SaturatingAdd(middle, length - length / 2)},
               event.trace);
  } else {
    ZoomTo(range, false, event.trace);
  }
}

ThemeKind ThemeOf(const Settings& settings, const WindowState& windows) {
  switch (settings.theme) {
    case ThemeChoice::kSystem:
      return windows.light_desktop ? ThemeKind::kLight : ThemeKind::kDark;
    case ThemeChoice::kDark:
      return ThemeKind::kDark;
    case ThemeChoice::kLight:
      return ThemeKind::kLight;
    case ThemeChoice::kColorBlind:
      return ThemeKind::kColorBlind;
    case ThemeChoice::kHighContrast:
      return ThemeKind::kHighContrast;
  }
  return ThemeKind::kDark;
}

std::vector<OwnPeaks> OwnPeaksOf(const Settings& settings) {
  Result<std::vector<OwnPeaks>> own = ParseOwnPeaks(settings.peaks);
  return own.ok() ? std::move(own).value() : std::vector<OwnPeaks>();
}

namespace {

void MakeSafe(const ViewerContext& context, CommandArgs* args) {
  constexpr double kMost = 1e15;
  args->pixels = std::isnan(args->pixels) ? 0 : std::clamp(args->pixels, -kMost, kMost);
  const auto name = [&](EventRef& event) {
    if (event.valid() && !event.trace.valid()) event.trace = context.view.active;
  };
  name(args->event);
  if (!args->events.empty() && !args->events.front().trace.valid())
    std::for_each(args->events.begin(), args->events.end(), name);
  std::erase_if(args->events, [&](const EventRef& event) { return context.Set(event) == nullptr; });
}

}  // namespace

void ApplyCommands(ViewerContext& context, CommandQueue* commands) {
  // Commands that a command pushes are applied in the same frame, but a loop of them must end.
  for (int i = 0; i < 10'000; ++i) {
    std::optional<Command> command = commands->Pop();
    if (!command) return;
    const CommandDesc& desc = DescOf(command->id);
    MakeSafe(context, &command->args);
    if (desc.enabled(context)) desc.apply(context, command->args);
  }
}

}  // namespace stepscope
