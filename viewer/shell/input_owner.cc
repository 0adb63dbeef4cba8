#include "viewer/shell/input_owner.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

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

}  // namespace stepscope
