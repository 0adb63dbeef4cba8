// Commands: the one table behind menus, palette, keys, help, docs and `replay`. A row has an id,
// texts, default keys, and what it does. Panels push commands; the viewer applies them at the end
// of the frame, in order, and journals them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

struct CommandArgs {
  std::string text;  // path, panel id, name …
  TimeRange range;
  EventRef event;
  std::vector<EventRef> events;
  double number = 0;
  TraceId run =
      {};  // that the command means, and whose time `range` is in; invalid: the active one
  std::vector<std::string> paths{};  // of several files
  std::string contents{};            // of a file to write; the journal does not keep it
};

struct Command {
  std::string id;  // "view.zoom_selection"
  CommandArgs args;
};

class ViewerContext;  // viewer/core/context.h: ViewState, SessionView, AppServices, Settings for
                      // apply functions

struct CommandDesc {
  const char* id;
  const char* title;  // "Zoom to selection"
  const char*
      category;       // menu: "File", "View", "Go", "Tools", "Window", "Help"; empty: not in menus
  const char* what;   // one sentence
  const char* words;  // search words of the palette
  const char* keys;   // default chords, "F", "Ctrl+O", several separated by " | "; empty: none
  bool (*enabled)(const ViewerContext&);
  void (*apply)(ViewerContext&, const CommandArgs&);
  bool (*on)(const ViewerContext&) = nullptr;  // of switches: menus show it by a mark
};

std::span<const CommandDesc> Commands();  // viewer/core/commands.cc
const CommandDesc* FindCommand(std::string_view id);
// Of "Ctrl+O | O" the first: what a menu has room for.
std::string FirstKey(std::string_view keys);

class CommandQueue {
 public:
  static constexpr size_t kJournalEvents = 16;  // events of a list that the journal keeps
  void Push(std::string_view id, CommandArgs args = {});
  void PushSetting(std::string_view key, std::string_view value);  // "app.set"
  bool Pop(Command* out);
  bool empty() const { return queue_.empty(); }
  const std::deque<Command>& journal() const { return journal_; }  // last 1,000 applied

 private:
  std::deque<Command> queue_, journal_;
};

}  // namespace stepscope
