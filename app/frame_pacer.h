// FramePacer: when to draw and how long to sleep. A pure state machine; it knows no clock and no
// window, so tests drive it. UI thread only.
//
// Loop: Wait wait = pacer.Next(state); sleep accordingly; if (pacer.ShouldDraw(woken)) draw.
#pragma once

#include <limits>

namespace stepscope {

struct PacerState {
  bool animating = false;     // something moves: draw every frame
  bool jobs_running = false;  // a load or analysis runs: show its progress now and then
  bool hidden = false;        // iconified: nothing to draw for
  // Seconds until something on the screen ends by itself, such as a note.
  double ends_in = std::numeric_limits<double>::infinity();
};

struct PacerWait {
  enum class Kind { kPoll, kTimeout, kForever } kind = Kind::kPoll;
  double seconds = 0;  // with kTimeout
};

class FramePacer {
 public:
  // Layout of Dear ImGui settles a few frames after an input; fewer leave half-drawn menus.
  static constexpr int kFramesAfterInput = 4;
  static constexpr double kProgressInterval =
      0.1;  // seconds between frames that only show progress

  // How to wait before the next frame.
  PacerWait Next(const PacerState& state);
  // After the wait: is there a reason to draw? `input`: the user did something, the window needs
  // its contents, or a worker asked for a frame.
  bool ShouldDraw(bool input);

 private:
  int frames_left_ = kFramesAfterInput;  // the first frames of a new window
  PacerState state_;
  bool timed_ = false;  // the wait ends by itself when something is to be shown
};

}  // namespace stepscope
