// Commands: the one table behind menus, palette, keys, help, docs and `replay`. A row has an
// id, texts, default keys and the function that does the command. Panels, timeline and shell
// push commands into the queue; the viewer applies them in order at the end of the frame and
// journals them. Nothing else changes the view. Start here; command_table.h says how to add
// one. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/ids.h"
#include "model/time.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

// CommandId: names a command. A text in the source that is no command's id does not compile.

// The ids of the rows of Commands(), each with a space before and after it.
inline constexpr std::string_view kCommandIds =
    " app.agents app.help app.menu app.note app.palette app.save_picture app.set app.settings"
    " compare.align_begin compare.align_event compare.align_steps compare.colors"
    " compare.counterpart compare.layout compare.stretch compare.swap"
    " copy.all copy.name copy.text"
    " file.answer file.cancel file.capture file.clear_recent file.close file.compare file.export"
    " file.export_picture file.export_png file.export_svg file.install_there file.load_rest"
    " file.open file.open_at file.open_folder file.open_sample file.quit file.record file.save_as"
    " file.save_range_as file.stop_recording file.write"
    " filter.clear filter.here filter.pop filter.range filter.steps filter.visible"
    " go.next_step go.previous_step go.step go.typical_step go.worst_step"
    " host.choose"
    " mark.add mark.color mark.next mark.previous mark.remove mark.rename"
    " measure.selection measure.set measure.shown"
    " panel.duplicate panel.show panel.stacks panel.toggle"
    " path.show"
    " run.activate run.choose run.newer run.older"
    " search.focus search.next search.previous search.set"
    " select.child select.clear select.event select.events select.flow_next select.flow_previous"
    " select.hits select.next select.next_same select.next_shown select.parent select.previous"
    " select.previous_same select.previous_shown select.reveal select.show_events select.toggle"
    " tool.pan tool.select tool.timing tool.zoom"
    " track.color track.filter track.move track.only track.only_selected track.pin track.place"
    " track.rename track.reset_looks track.rows track.select track.sort track.unpin_all"
    " view.align_clocks view.back view.collapse_all view.copy_token view.definitions"
    " view.derived_lanes view.desktop_theme view.expand_all view.forward view.fullscreen"
    " view.larger view.next_theme view.normal_size view.open_token view.page_down view.page_up"
    " view.pan_left view.pan_left_coarse view.pan_left_fine view.pan_right view.pan_right_coarse"
    " view.pan_right_fine view.python_frames view.ranks_in_lane view.ranks_in_rows"
    " view.reset_layout view.scroll view.scroll_down view.scroll_up view.set_range view.set_theme"
    " view.show_hidden view.smaller view.tall_panels view.toggle_collapse view.toggle_hidden"
    " view.waiting_lanes view.zoom_all view.zoom_in view.zoom_in_coarse view.zoom_in_fine"
    " view.zoom_out view.zoom_out_coarse view.zoom_out_fine view.zoom_selection ";

consteval bool IsCommandId(std::string_view id) {
  for (size_t at = kCommandIds.find(id); at != std::string_view::npos;
       at = kCommandIds.find(id, at + 1)) {
    if (kCommandIds[at - 1] == ' ' && kCommandIds[at + id.size()] == ' ') return true;
  }
  return false;
}

class CommandId {
 public:
  consteval CommandId(const char* text) : text_(text) {  // NOLINT: a literal is an id
    if (!IsCommandId(text)) throw "no command has this id";
  }
  constexpr const char* text() const { return text_; }
  constexpr operator std::string_view() const { return text_; }  // NOLINT: an id is a text
  friend constexpr bool operator==(CommandId a, std::string_view b) {
    return std::string_view(a) == b;
  }

 private:
  const char* text_;
};

// The arguments of a command. Each command reads the fields that it needs.
struct CommandArgs {
  std::string text = {};  // path, panel id, name …
  TimeRange range = {};
  EventRef event = {};
  std::vector<EventRef> events = {};
  // The profile that the command means, and whose time `range` is in; invalid: the active one.
  ProfileId profile = {};
  std::vector<std::string> paths = {};  // several files, or several tracks
  std::string contents = {};            // what a file gets; the journal does not keep it
  double steps = 1;          // how far to pan, zoom or scroll: 1 is as far as one press of the key
  double pixels = 0;         // how far "view.scroll" goes down
  int64_t rows = 0;          // the most rows that a track is drawn with; 0: all
  int64_t marker = 0;        // its place in ProfileViewState::markers
  int64_t color = 0;         // of a track, 1 to kMarkerColors; 0: none
  int64_t total = 0;         // events that a table's row stands for; `events` may hold fewer
  bool replace = false;      // a file of this name is written over
  bool closer_only = false;  // the view never shows more time than before
  bool to_end = false;       // a track goes behind all that were moved, not before them
};

struct Command {
  CommandId id;
  CommandArgs args = {};
};

class ViewerContext;  // viewer/core/commands/context.h: what `enabled` and `apply` work on

// The field of CommandArgs that `number` in a replay script means; monostate: none.
using NumberField = std::variant<std::monostate, double CommandArgs::*, int64_t CommandArgs::*,
                                 bool CommandArgs::*>;

struct CommandDesc {
  CommandId id;       // "view.zoom_selection"
  const char* title;  // "Zoom to selection"
  // The menu: "File", "View", "Go", "Tools", "Window", "Help"; empty: none.
  const char* category;
  const char* what;   // one sentence
  const char* words;  // more words by which the palette finds it
  const char* keys;   // default chords, "F", "Ctrl+O", several separated by " | "; empty: none
  bool (*enabled)(const ViewerContext&);  // `apply` is called only while this is true
  void (*apply)(ViewerContext&, const CommandArgs&);
  bool (*on)(const ViewerContext&) = nullptr;  // switches only: menus show a mark while it is on
  NumberField number = {};
  bool hides = false;  // menus leave it out while it cannot be used, which is so for most profiles
};

std::span<const CommandDesc> Commands();              // in the order of menus, palette and help
const CommandDesc* FindCommand(std::string_view id);  // null: there is none. O(commands)
const CommandDesc& DescOf(CommandId id);
// Sets the field that the command's number means: above 0 is true, and an integer is rounded down.
// A command without one ignores it.
void SetNumber(const CommandDesc& command, double number, CommandArgs* args);
// The first of the keys "Ctrl+O | O": a menu has room for one.
std::string FirstKey(std::string_view keys);

// The commands that wait to be applied, and a journal of those that were.
class CommandQueue {
 public:
  static constexpr size_t kJournalEvents = 16;  // events of a list that the journal keeps
  void Push(CommandId id, CommandArgs args = {});
  // Pushes "app.set" with the text of a value: PushSetting(&Settings::animate, false).
  template <typename T, typename Owner>
  void PushSetting(T Owner::*member, std::type_identity_t<T> value) {
    Settings changed;
    changed.*member = std::move(value);
    PushSettingOf(changed, SettingMember(member));
  }
  std::optional<Command> Pop();  // the oldest, which goes into the journal; nullopt: none waits
  bool empty() const { return queue_.empty(); }
  const std::deque<Command>& journal() const { return journal_; }  // last 1,000 applied

 private:
  void PushSettingOf(const Settings& changed, const SettingMember& member);

  std::deque<Command> queue_, journal_;
};

}  // namespace stepscope
