// The sources of commands (commands_*.cc) share this. A source holds the functions of its commands
// and, below them, a table with a row for each; commands_app.cc puts the tables one behind another.
// A new command is a function and a row in one source, its id in command.h, and a test in
// tests/viewer/core/commands.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/context.h"

namespace stepscope::commands {

using C = ViewerContext;
using A = CommandArgs;

// The tables, in the order of menus, palette and help. A source has several where other commands
// stand between its own.
using CommandTable = std::span<const CommandDesc>();
CommandTable OpenCommands, CaptureCommands, CompareCommands, FileCommands, ProfileCommands,
    ViewCommands, TrackCommands, WindowCommands, FineViewCommands, HistoryCommands, FilterCommands,
    PathCommands, MarkerCommands, ToolCommands, SearchCommands, EventCommands, SelectionCommands,
    StepCommands, CopyCommands, PanelCommands, AppCommands;

// When a command can be used, where several tables ask it.
bool Always(const C& c);
bool HasProfile(const C& c);
bool HasEvents(const C& c);     // the active profile is no fleet
bool HasSelection(const C& c);  // an event is selected
bool HasShown(const C& c);      // some events are shown bright
bool HasHits(const C& c);
bool HasSteps(const C& c);

void Request(C& c, WindowRequest request);  // of a part of the window
void Say(C& c, std::string text);           // in the status bar, for a few seconds
// Folds the tracks of all open profiles as the setting "timeline.tracks" says, and no others.
void FoldByRules(C& c);
// "name.png x y width height"; nullopt for any other text.
std::optional<PictureRequest> ParsePicture(const std::string& text);

}  // namespace stepscope::commands
