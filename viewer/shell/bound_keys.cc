#include "viewer/shell/bound_keys.h"

#include <string>
#include <utility>

#include "viewer/core/commands/context.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

BoundKeys::BoundKeys(const KeyBindings& bindings) {
  bool ok = true;
  for (const CommandDesc& command : Commands()) {
    for (const KeyChord& chord : ParseChords(bindings.Of(command.id), &ok))
      keys_.push_back({chord, &command, nullptr});
  }
  for (const PanelDesc& panel : Panels()) {
    for (const KeyChord& chord : ParseChords(bindings.Of("panel." + std::string(panel.id)), &ok))
      keys_.push_back({chord, nullptr, &panel});
  }
}

void BoundKeys::Push(const ViewerContext& context, bool only_menu, CommandQueue* commands) const {
  for (const Key& key : keys_) {
    const bool menu = key.command != nullptr && key.command->id == "app.menu";
    if ((only_menu && !menu) || !Pressed(key.chord)) continue;
    if (key.command != nullptr && key.command->enabled(context)) {
      CommandArgs args;
      if (key.chord.character != 0) args.text = TypedText(1);
      if (key.chord.repeat) args.steps = HoldSpeed(key.chord);
      commands->Push(key.command->id, std::move(args));
    }
    if (key.panel != nullptr) commands->Push("panel.show", {.text = key.panel->id});
  }
}

}  // namespace stepscope
