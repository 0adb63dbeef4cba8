// The start of a Dear ImGui frame. UI thread.
#pragma once

namespace stepscope {

// ImGui::NewFrame, for chords typed faster than frames are drawn. Dear ImGui applies all key events
// it has before anyone looks: of "Ctrl down, Q down, Ctrl up" only Q would be left. What changes a
// modifier after another key was pressed therefore waits for the next frame.
void NewFrameKeepingChords();

}  // namespace stepscope
