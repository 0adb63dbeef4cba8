// Commands that go back to earlier views, and views as text.
#include <optional>
#include <string>

#include "viewer/core/commands/command_table.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_token.h"

namespace stepscope::commands {
namespace {

bool CanGoBack(const C& c) { return c.history.CanGoBack(); }
bool CanGoForward(const C& c) { return c.history.CanGoForward(); }

// Says which tracks are hidden or shown now: what was said of the view before holds no longer.
void SayHidden(C& c, const TrackRules::Paths& before) {
  const TrackRules::Paths& now = c.settings.tracks.hidden;
  const auto say = [&](const char* what, const TrackRules::Paths& some,
                       const TrackRules::Paths& others) {
    for (const std::string& path : some) {
      if (!others.contains(path)) return Say(c, what + NameInPath(path));
    }
  };
  Say(c, {});
  say("Hidden: ", now, before);
  say("Shown again: ", before, now);
}

void GoBack(C& c, const A&) {
  const TrackRules::Paths before = c.settings.tracks.hidden;
  c.history.Back(&c.view, &c.settings);
  SayHidden(c, before);
}
void GoForward(C& c, const A&) {
  const TrackRules::Paths before = c.settings.tracks.hidden;
  c.history.Forward(&c.view, &c.settings);
  SayHidden(c, before);
}

// --- Views as text
void CopyViewToken(C& c, const A&) {
  const ProfileViewState* state = c.StateOf();
  if (state == nullptr) return;
  c.services.SetClipboard(TokenOf(c.view, *state));
  Say(c, "Copied. stepscope PATH --view TEXT opens this place");
}

void OpenViewToken(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  const std::optional<ViewPlace> place = ParseViewToken(a.text);
  if (state == nullptr) return;
  if (!place) {
    Say(c, "This text is no copied view");
    return;
  }
  state->host = place->host;
  state->recorded_clocks = place->recorded_clocks;
  state->ranks = place->ranks;
  if (!place->visible.empty()) c.SetVisible(place->visible, a.profile);
  c.view.measured = state->map.ToShared(place->measured);
  c.view.filters.clear();
  if (!place->filter.empty()) {
    c.view.filters.push_back(
        {state->map.ToShared(place->filter), FormatDuration(place->filter.length(), 4)});
  }
  c.view.scroll_y = place->scroll_y;
  EventRef event = place->selected;
  event.trace = state->profile;
  c.view.selected = c.Set(event) != nullptr ? event : EventRef{};
  if (!place->panel.empty()) {
    A panel;
    panel.text = place->panel;
    DescOf("panel.show").apply(c, panel);
  }
}

constexpr CommandDesc kHistory[] = {
    {"view.back", "Go back", "View", "Goes back to the view before this one.", "undo history",
     "Ctrl+Z | Alt+Left", CanGoBack, GoBack},
    {"view.forward", "Go forward", "View", "Goes forward again to the view that was left.",
     "redo history", "Ctrl+Shift+Z | Ctrl+Y | Alt+Right", CanGoForward, GoForward},
    {"view.copy_token", "Copy view", "View",
     "Copies a short text that opens this profile at the same place: stepscope PATH --view TEXT.",
     "token link share bookmark", "", HasEvents, CopyViewToken},
    {"view.open_token", "Go to view", "", "Goes to a view that was copied as text.", "", "",
     HasEvents, OpenViewToken},
};

}  // namespace

std::span<const CommandDesc> HistoryCommands() { return kHistory; }

}  // namespace stepscope::commands
