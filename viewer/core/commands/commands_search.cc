// Commands of the search.
#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
namespace {

template <int direction>
void StepSearch(C& c, const A&) {
  const EventRef hit = c.search.Step(c.view.selected, direction, c.profiles);
  if (hit.valid()) c.Reveal(hit);
}

void GoToSearch(C& c, const A& a) { Request(c, FocusSearch{a.text}); }
void SetSearch(C& c, const A& a) {
  if (!a.text.empty()) Request(c, RaisePanel{"selection"});
  c.search.Set(a.text, c.profiles);
}

constexpr CommandDesc kSearch[] = {
    {"search.focus", "Search events", "Go", "Goes to the search box.", "find", "/ | Ctrl+F",
     HasEvents, GoToSearch},
    {"search.set", "Search for", "",
     "Finds all events whose name contains a text; =text finds those with exactly this name.", "",
     "", Always, SetSearch},
    {"search.next", "Next hit", "Go", "Goes to the next event that was found.", "find",
     "F3 | Enter", HasHits, StepSearch<1>},
    {"search.previous", "Previous hit", "Go", "Goes to the previous event that was found.", "find",
     "Shift+F3 | Shift+Enter", HasHits, StepSearch<-1>},
};

}  // namespace

std::span<const CommandDesc> SearchCommands() { return kSearch; }

}  // namespace stepscope::commands
