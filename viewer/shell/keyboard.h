// InputOwner: decides who gets the keys and the mouse. Menus take the arrow keys from the timeline,
// and one press of a mouse button is one gesture. Between ImGui::NewFrame() and Render() only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {

class InputOwner {
 public:
  // Call it once a frame, after all popups. The arrow keys move in a menu while one is open, and in
  // the timeline otherwise.
  void FollowPopups();
  // Some popups were open when the last frame ended: this frame's keys are theirs.
  bool popups() const { return popups_; }
  // Numbers the presses of mouse buttons; call it once a frame. 0: none is down, and none was
  // released in this frame.
  uint64_t MousePress();

 private:
  bool popups_ = false;
  uint64_t presses_ = 0;
};

// BoundKeys: the chords of all commands and panels, parsed once, and the commands that the keys of
// a frame push. UI thread only, between NewFrame and Render.
class BoundKeys {
 public:
  explicit BoundKeys(const KeyBindings& bindings);
  // Pushes the enabled commands whose chords were pressed. `only_menu`: a menu is open, and only
  // the key that closes it counts. O(keys)
  void Push(const ViewerContext& context, bool only_menu, CommandQueue* commands) const;

 private:
  struct Key {
    KeyChord chord;
    const CommandDesc* command = nullptr;  // null: `panel` is shown
    const PanelDesc* panel = nullptr;
  };
  std::vector<Key> keys_;
};

// KeyEditor: changes keys in the list of commands. After a click on a command's keys the next chord
// pressed becomes the command's; if another command has it, the user is asked first. A setting
// keeps the choices (viewer/core/commands/keys.h). UI thread only.
class KeyEditor {
 public:
  // It waits for a chord; keys call no commands meanwhile.
  bool capturing() const { return !id_.empty() && wanted_.empty(); }
  // Call it once a frame, before the rows. `open`: the list is shown; if not, a change in progress
  // is given up.
  void NewFrame(const PanelContext& context, bool open);
  // Draws the keys of a command or of "panel.ID" as a button; a right click opens its menu.
  void DrawKeys(const PanelContext& context, const char* id);
  // Draws the question below a row while its keys are changed. False: there is none.
  bool DrawQuestion(const PanelContext& context, const char* id);
  // Draws a box whose words limit the list to the commands that have all of them.
  void DrawFind();
  bool Finds(std::string_view title, std::string_view what, std::string_view keys) const;
  // Draws a button that takes back all choices, if there are any.
  void DrawResetAll(const PanelContext& context) const;

 private:
  void TakeTyped();
  void Choose(const PanelContext& context, const std::string& id, const char* keys) const;
  void GiveUp() { id_.clear(), wanted_.clear(); }

  std::string find_;    // words, as typed
  std::string id_;      // command or "panel.ID" whose keys are changed; empty: none
  std::string wanted_;  // the chord that was pressed and belongs to `owner_`
  std::string owner_;
  int ended_ = 0;  // the frame of the last chord, whose key is no click
};

}  // namespace stepscope
