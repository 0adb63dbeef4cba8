#include "app/window/frame_pacer.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

PacerWait FramePacer::Next(const PacerState& state) {
  state_ = state;
  timed_ = false;
  if (state.hidden) return {PacerWait::Kind::kForever, 0};
  if (frames_left_ > 0 || state.animating) return {PacerWait::Kind::kPoll, 0};
  progresses_ = progresses_ && state.jobs_running;
  const double progress = progresses_ ? kProgressInterval : kFirstProgress;
  const double interval = state.jobs_running ? progress : state.ends_in;
  if (std::isinf(interval)) return {PacerWait::Kind::kForever, 0};
  timed_ = true;
  return {PacerWait::Kind::kTimeout, std::max(0.0, std::min(interval, state.ends_in))};
}

bool FramePacer::ShouldDraw(bool input) {
  if (input) frames_left_ = kFramesAfterInput;
  progresses_ = !input && timed_ && state_.jobs_running;
  if (state_.hidden) return false;  // the frames are still owed when the window comes back
  if (frames_left_ > 0) {
    --frames_left_;
    return true;
  }
  return state_.animating || timed_;
}

}  // namespace stepscope
