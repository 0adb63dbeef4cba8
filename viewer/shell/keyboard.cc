#include "viewer/shell/keyboard.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string>
#include <utility>

#include "viewer/core/commands/context.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

void InputOwner::FollowPopups() {
  const bool open = !ImGui::GetCurrentContext()->OpenPopupStack.empty();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  if (open) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  if (std::exchange(popups_, open) && !open) ImGui::SetNavCursorVisible(false);
}

uint64_t InputOwner::MousePress() {
  bool held = false;
  for (ImGuiMouseButton button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    if (ImGui::IsMouseClicked(button)) ++presses_;
    held = held || ImGui::IsMouseDown(button) || ImGui::IsMouseReleased(button);
  }
  return held ? presses_ : 0;
}

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
