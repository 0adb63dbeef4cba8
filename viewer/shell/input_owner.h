// InputOwner: whose the keys and the mouse are. Menus take the arrow keys from the timeline, and
// one press of a mouse button is one gesture. Between ImGui::NewFrame() and Render() only.
#pragma once

#include <cstdint>

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

}  // namespace stepscope
