// Commands that choose which profile, run and host the panels show.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/profiles/clock_aligner.h"

namespace stepscope::commands {
namespace {

void ChooseRun(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.services.OpenRun(profile->id, a.text);
}
void ActivateProfile(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.view.active = profile->id;
}
void ChooseHost(C& c, const A& a) {
  if (ProfileViewState* state = c.StateOf(a.profile)) state->host = a.text;
}

bool HasRuns(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->runs.size() > 1;
}
// The newest run comes first.
template <int by>
void StepRun(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  const std::vector<std::string>& runs = profile->runs;
  const auto at = std::find(runs.begin(), runs.end(), profile->trace->run) - runs.begin() + by;
  if (at < 0 || at >= std::ssize(runs)) return;
  c.services.OpenRun(profile->id, runs[static_cast<size_t>(at)]);
}

bool HasClocks(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->clock_offsets != nullptr;
}
bool ClocksAligned(const C& c) {
  const ProfileViewState* state = c.StateOf();
  return HasClocks(c) && state != nullptr && !state->recorded_clocks;
}
void AlignClocks(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  ProfileViewState* state = c.StateOf(a.profile);
  if (profile == nullptr || state == nullptr) return;
  state->recorded_clocks = !state->recorded_clocks;
  KeepSelectionInPlace(*profile, !state->recorded_clocks, &c.view);
}

bool HasRanks(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->ranks != nullptr && !profile->ranks->empty();
}
template <RankLayout layout>
bool RanksLieSo(const C& c) {
  const ProfileViewState* state = c.StateOf();
  return HasRanks(c) && state != nullptr && state->ranks == layout;
}
// Draws the ranks so, or with their hosts again. The view goes to their top.
template <RankLayout layout>
void LayRanks(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr) return;
  state->ranks = state->ranks == layout ? RankLayout::kApart : layout;
  if (state->ranks == RankLayout::kApart) return;
  state->scroll_y = 0;
  c.view.scroll_y = 0;
}

constexpr CommandDesc kProfile[] = {
    {"run.choose", "Choose run", "", "Opens another run of the same log directory or fleet.", "",
     "", HasProfile, ChooseRun},
    {"run.older", "Older run", "Go",
     "Opens the run before this one of the same log directory or fleet.", "previous trend", "",
     HasRuns, StepRun<1>},
    {"run.newer", "Newer run", "Go",
     "Opens the run after this one of the same log directory or fleet.", "next trend", "", HasRuns,
     StepRun<-1>},
    {"run.activate", "Activate run", "", "Makes an open profile the active one, which panels show.",
     "", "", HasProfile, ActivateProfile},
    {"host.choose", "Choose host", "", "Shows one host only; given nothing, all.", "filter worker",
     "", HasProfile, ChooseHost},
    {"view.align_clocks",
     "Align clocks of ranks",
     "View",
     "Draws all ranks on one clock, found by the ends of their collectives, or each on its own.",
     "offset skew drift synchronise hosts collectives line up",
     "",
     HasClocks,
     AlignClocks,
     ClocksAligned,
     {},
     true},
    {"view.ranks_in_rows",
     "Ranks under each other",
     "View",
     "Draws the tracks of all ranks under each other above all others, the latest rank first; "
     "again: with their hosts.",
     "rows compare late straggler collectives hosts",
     "",
     HasRanks,
     LayRanks<RankLayout::kRows>,
     RanksLieSo<RankLayout::kRows>,
     {},
     true},
    {"view.ranks_in_lane",
     "Ranks in one lane",
     "View",
     "Draws all ranks as stripes of one lane above all tracks, the latest rank first; again: with "
     "their hosts.",
     "overlay compare late straggler collectives stack",
     "",
     HasRanks,
     LayRanks<RankLayout::kLane>,
     RanksLieSo<RankLayout::kLane>,
     {},
     true},
};

}  // namespace

std::span<const CommandDesc> ProfileCommands() { return kProfile; }

}  // namespace stepscope::commands
