// The start of a Dear ImGui frame. UI thread.
#pragma once

namespace stepscope {

// Calls ImGui::NewFrame so that chords typed faster than frames are drawn still count. Dear ImGui
// applies all key events that have come before anyone looks: "Ctrl down, Q down, Ctrl up" would
// leave only Q. A change of a modifier after a key press therefore waits for the next frame.
void NewFrameKeepingChords();
// True if events wait for the next frame, which nothing else may ask for.
bool InputWaits();

}  // namespace stepscope
