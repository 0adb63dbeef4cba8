#include "viewer/core/look/new_frame.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <vector>

namespace stepscope {
namespace {

bool IsModifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

// The first event that must wait for the next frame.
ImGuiInputEvent* FirstToWait(ImVector<ImGuiInputEvent>& queue) {
  bool pressed = false;
  return std::find_if(queue.begin(), queue.end(), [&](const ImGuiInputEvent& event) {
    if (event.Type != ImGuiInputEventType_Key) return false;
    if (IsModifier(event.Key.Key)) return pressed;
    pressed = pressed || event.Key.Down;
    return false;
  });
}

}  // namespace

void NewFrameKeepingChords() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  ImGuiInputEvent* first = FirstToWait(queue);
  const std::vector<ImGuiInputEvent> waiting(first, queue.end());
  queue.resize(static_cast<int>(first - queue.begin()));
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : waiting) queue.push_back(event);
}

bool InputWaits() { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }

}  // namespace stepscope
