// Commands that choose which profile, run and host the panels show.
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

constexpr CommandDesc kProfile[] = {
    {"run.choose", "Choose run", "", "Opens another run of the same log directory.", "", "",
     HasProfile, ChooseRun},
    {"run.activate", "Activate run", "", "Makes an open profile the active one, which panels show.",
     "", "", HasProfile, ActivateProfile},
    {"host.choose", "Choose host", "", "Shows one host only; given nothing, all.", "filter worker",
     "", HasProfile, ChooseHost},
    {"view.align_clocks", "Align clocks of ranks", "View",
     "Draws all ranks on one clock, found by the ends of their collectives, or each on its own.",
     "offset skew drift synchronise hosts collectives line up", "", HasClocks, AlignClocks,
     ClocksAligned},
};

}  // namespace

std::span<const CommandDesc> ProfileCommands() { return kProfile; }

}  // namespace stepscope::commands
