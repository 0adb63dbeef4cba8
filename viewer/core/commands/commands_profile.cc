// Commands that choose which profile, run and host the panels show.
#include "viewer/core/commands/command_table.h"

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

constexpr CommandDesc kProfile[] = {
    {"run.choose", "Choose run", "", "Opens another run of the same log directory.", "", "",
     HasProfile, ChooseRun},
    {"run.activate", "Activate run", "", "Makes an open profile the active one, which panels show.",
     "", "", HasProfile, ActivateProfile},
    {"host.choose", "Choose host", "", "Shows one host only; given nothing, all.", "filter worker",
     "", HasProfile, ChooseHost},
};

}  // namespace

std::span<const CommandDesc> ProfileCommands() { return kProfile; }

}  // namespace stepscope::commands
