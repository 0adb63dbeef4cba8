// Commands for two profiles beside each other.
#include <algorithm>
#include <string>
#include <utility>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/core/profiles/matching_events.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope::commands {
namespace {

struct Pair {
  const Profile *base = nullptr, *profile = nullptr;
  ProfileViewState *baseline = nullptr, *state = nullptr;
};

// The two profiles that are compared. All pointers are null where none are.
Pair PairOf(C& c) {
  Pair pair;
  pair.profile = FindComparedProfile(c.profiles, c.view);
  if (pair.profile == nullptr) return pair;
  pair.base = FindProfile(c.profiles, c.view.baseline);
  pair.baseline = c.view.Find(c.view.baseline);
  pair.state = c.view.Find(pair.profile->id);
  return pair;
}

bool Compares(const C& c) { return FindComparedProfile(c.profiles, c.view) != nullptr; }

void SwapBaseline(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.profile == nullptr) return;
  const ProfileId was = c.view.baseline;
  c.view.baseline = pair.profile->id;
  c.view.active = was;
  Say(c, "Baseline: " + pair.profile->label);
}

bool CompareColorsOn(const C& c) { return c.settings.compare_colors; }
void CompareColors(C& c, const A&) {
  const bool show = c.settings.compare_colors = !c.settings.compare_colors;
  Say(c,
      show ? "Slices have the colours of their changes" : "Slices have the colours of their names");
}

// Whether as many profiles are open as can have rows of their own.
bool HasAreas(const C& c) { return c.profiles.size() > 1 && c.profiles.size() <= kMostSplitViews; }

// In one list only the busiest tracks and those asked for are shown, so that the other profile is
// in sight. Profiles that scroll by themselves have room for all tracks.
void ChooseTracks(C& c, bool list) {
  for (const Profile& profile : c.profiles) {
    ProfileViewState* state = c.view.Find(profile.id);
    if (state == nullptr) continue;
    TrackRules::Paths& only = state->only;
    const TrackRules::Paths busiest = BusiestTracks(*profile.trace);
    if (list && only.empty()) {
      only = std::exchange(c.windows.only_in_list[profile.id], {});
    } else if (!list && !only.empty() &&
               std::includes(only.begin(), only.end(), busiest.begin(), busiest.end())) {
      c.windows.only_in_list[profile.id] = std::exchange(only, {});
    }
  }
}

void ChooseLayout(C& c, const A& a) {
  const auto next = (static_cast<int>(LayoutOfProfiles(c.settings, c.profiles.size())) + 1) % 3;
  ProfileLayout& layout = c.settings.profile_layout;
  layout = a.text.empty() ? static_cast<ProfileLayout>(next) : ProfileLayout::kList;
  SetSetting(SettingDescOf(&Settings::profile_layout), a.text, &c.settings);
  ChooseTracks(c, layout == ProfileLayout::kList);
  Say(c, layout == ProfileLayout::kList
             ? "All profiles in one list"
             : "Profiles lie " + SettingText(c.settings, &Settings::profile_layout));
}

void Counterpart(C& c, const A&) {
  const Pair pair = PairOf(c);
  const TrackSet* set = c.Set(c.view.selected);
  if (pair.profile == nullptr || set == nullptr || c.view.selected.set != 0) return;
  const EventRef mine = c.view.selected;
  const Profile* from = mine.trace == pair.base->id ? pair.base : pair.profile;
  const Profile* to = from == pair.base ? pair.profile : pair.base;
  if (mine.trace != from->id) return;
  const EventRow found = CounterpartOf(*from, mine.row, *to);
  if (!found.valid()) {
    Say(c, to->label + " has no event of this name");
    return;
  }
  const EventRef theirs{to->id, 0, found};
  const Ps a = set->Duration(mine.row), b = to->trace->set.Duration(found);
  c.view.shown.Set({mine, theirs});
  c.Reveal(theirs);
  Say(c, FormatDuration(b, 4) + " here, " + FormatDuration(a, 4) + " in the other profile");
}

void AlignSteps(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.profile == nullptr) return;
  const TimeRange view = c.Visible(pair.base->id);
  const Ps middle = view.begin + view.length() / 2;
  if (!AlignBySteps(*pair.base, *pair.baseline, middle, *pair.profile, pair.state))
    Say(c, "One of the two has no steps");
}

void AlignBegins(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.profile == nullptr) return;
  AlignTimes(*pair.baseline, pair.base->trace->span.begin, pair.profile->trace->span.begin,
             pair.state);
}

void AlignEvents(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.profile == nullptr) return;
  EventRef of_base, of_profile;
  for (const EventRef& event : c.view.shown.events()) {
    if (event.trace == pair.base->id) of_base = event;
    if (event.trace == pair.profile->id) of_profile = event;
  }
  if (!of_base.valid() || !of_profile.valid()) {
    Say(c, "Select an event of each profile first: Ctrl and a click add one");
    return;
  }
  AlignTimes(*pair.baseline, c.RangeOf(of_base).begin, c.RangeOf(of_profile).begin, pair.state);
}

void StretchSteps(C& c, const A&) {
  const Pair pair = PairOf(c);
  if (pair.profile == nullptr) return;
  TimeMap& map = pair.state->map;
  if (map.shared != map.of_own) {
    map.shared = map.of_own = 1;
    AlignSteps(c, {});
  } else if (!StretchToSteps(*pair.base, *pair.baseline, *pair.profile, pair.state)) {
    Say(c, "One of the two has no steps");
  }
}

bool StepsStretched(const C& c) {
  return std::any_of(c.view.profiles.begin(), c.view.profiles.end(),
                     [](const ProfileViewState& r) { return r.map.shared != r.map.of_own; });
}

constexpr CommandDesc kCompare[] = {
    {"compare.swap", "Swap baseline", "Go",
     "Swaps A and B: the profile that was compared becomes the baseline.", "diff exchange A B", "X",
     Compares, SwapBaseline},
    {"compare.counterpart", "Same event of the other profile", "Go",
     "Selects the counterpart in the other profile: the event of the same name and step, at the "
     "same place among those of its name.",
     "diff match pair", "C", Compares, Counterpart},
    {"compare.align_steps", "Align steps", "Go",
     "Aligns the profiles at the step that has the same number in both, else at the first steps.",
     "diff shift offset", "", Compares, AlignSteps},
    {"compare.align_begin", "Align begins", "Go", "Aligns the profiles at their begins.",
     "diff shift offset absolute start", "", Compares, AlignBegins},
    {"compare.align_event", "Align selected events", "Go",
     "Aligns the profiles at the last two selected events, one of each.", "diff shift offset", "",
     Compares, AlignEvents},
    {"compare.stretch", "Stretch steps to the same length", "Go",
     "Draws the steps of both profiles equally long, or true to scale again.",
     "diff scale normalise", "", Compares, StretchSteps, StepsStretched},
    {"compare.colors", "Colour by change", "View",
     "Colours events by whether those of their name take more or less time in a step than in the "
     "other profile, or by their names again.",
     "diff tint slower faster hatching", "", Compares, CompareColors, CompareColorsOn},
    {"compare.layout", "Layout of profiles", "View",
     "Switches between one list of tracks, profiles above each other and profiles beside each "
     "other; given a name, chooses that layout.",
     "diff side by side split columns halves linked timelines layout", "V", HasAreas, ChooseLayout},
};

}  // namespace

std::span<const CommandDesc> CompareCommands() { return kCompare; }

}  // namespace stepscope::commands
