// InputOwner: decides who gets the keys and the mouse. Menus take the arrow keys from the timeline,
// and one press of a mouse button is one gesture. Between ImGui::NewFrame() and Render() only.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/keys.h"
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

}  // namespace stepscope
