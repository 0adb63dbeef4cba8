// BoundKeys: the chords of all commands and panels, parsed once, and the commands that the keys of
// a frame push. UI thread only, between NewFrame and Render.
#pragma once

#include <vector>

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/key_bindings.h"
#include "viewer/core/commands/key_chord.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {

class BoundKeys {
 public:
  explicit BoundKeys(const KeyBindings& bindings);
  // Pushes what was pressed, as far as it is enabled. `only_menu`: a menu is open, and only the key
  // that closes it counts. O(keys)
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
