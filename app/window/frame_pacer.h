// FramePacer: when to draw and how long to sleep. It is a state machine without a clock and
// without a window, so that tests can drive it. UI thread only.
//
// Loop: Wait wait = pacer.Next(state); sleep accordingly; if (pacer.ShouldDraw(woken)) draw.
#pragma once

#include <limits>

namespace stepscope {

struct PacerState {
  bool animating = false;     // something moves: draw every frame
  bool jobs_running = false;  // a load or analysis runs: show its progress now and then
  bool hidden = false;        // iconified: nothing to draw for
  // Seconds until something on the screen disappears by itself, such as a note.
  double ends_in = std::numeric_limits<double>::infinity();
};

struct PacerWait {
  enum class Kind { kPoll, kTimeout, kForever } kind = Kind::kPoll;
  double seconds = 0;  // with kTimeout
};

class FramePacer {
 public:
  // The layout of Dear ImGui settles a few frames after an input; with fewer frames menus stay
  // half drawn.
  static constexpr int kFramesAfterInput = 4;
  // Seconds until the first frame of progress and between further ones. Most jobs end before the
  // first one, and get the cores that drawing would take.
  static constexpr double kFirstProgress = 0.25, kProgressInterval = 0.1;

  // How to wait before the next frame.
  PacerWait Next(const PacerState& state);
  // Whether there is a reason to draw after the wait. `input` says that the user did something,
  // the window needs its contents, or a worker asked for a frame.
  bool ShouldDraw(bool input);

 private:
  int frames_left_ = kFramesAfterInput;  // the first frames of a new window
  PacerState state_;
  bool timed_ = false;       // the wait has a timeout, at which something is to be shown
  bool progresses_ = false;  // the last frame showed progress
};

}  // namespace stepscope
