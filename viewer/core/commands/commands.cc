// The list of all commands, put together from the tables beside their functions
// (viewer/core/commands/command_table.h), and what these tables share.
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/commands/command_table.h"

namespace stepscope {
namespace commands {
namespace {

std::vector<CommandDesc> JoinTables() {
  std::vector<CommandDesc> out;
  for (CommandTable* table :
       {OpenCommands,   CaptureCommands,   CompareCommands, FileCommands,     ProfileCommands,
        ViewCommands,   TrackCommands,     WindowCommands,  FineViewCommands, HistoryCommands,
        FilterCommands, PathCommands,      MarkerCommands,  ToolCommands,     SearchCommands,
        EventCommands,  SelectionCommands, StepCommands,    CopyCommands,     PanelCommands,
        AppCommands}) {
    const std::span<const CommandDesc> rows = table();
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

}  // namespace

bool Always(const C&) { return true; }
bool HasProfile(const C& c) { return c.ProfileOf() != nullptr; }
bool HasEvents(const C& c) { return HasProfile(c) && FleetOf(*c.ProfileOf()->trace) == nullptr; }
bool HasSelection(const C& c) { return c.view.selected.valid(); }
bool HasShown(const C& c) { return !c.view.shown.empty(); }
bool HasHits(const C& c) { return c.search.hits().count > 0; }
bool HasSteps(const C& c) { return HasProfile(c) && !c.ProfileOf()->Steps().empty(); }

void Request(C& c, WindowRequest request) { c.windows.requests.push_back(std::move(request)); }

void Say(C& c, std::string text) { Request(c, ShowNote{std::move(text)}); }

}  // namespace commands

std::span<const CommandDesc> Commands() {
  static const std::vector<CommandDesc> all = commands::JoinTables();
  return all;
}

}  // namespace stepscope
