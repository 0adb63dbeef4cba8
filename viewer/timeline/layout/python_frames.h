// WithoutPython: a trace's tracks without the frames of Python stacks, nested again, so that ops
// lie on the first rows instead of thirty frames down. Only the drawing changes: parents, self
// times and analyses stay those of the trace. It is built when frames are hidden, in O(n log n)
// of the tracks that have frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/jobs/latest_job.h"
#include "model/trace.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

struct WithoutPython {
  // The set number under which Highlight::Rows and other lists name its rows.
  static constexpr uint32_t kSet = 0xffffffffu;
  TrackSet set;                // slices only: instants stay with the trace's own lanes
  std::vector<TrackId> track;  // by track of the trace; invalid: it has no frames
  std::vector<EventRow> row;   // by row of the trace; invalid: a frame, an instant, another track
};

// Returns null if the trace has no Python frames. Too slow for a
// frame: run it as a job.
std::shared_ptr<const WithoutPython> LeaveOutPython(const Trace& trace);

// PythonHider: the open traces without their Python frames, made in the background. Frames are
// shown until the result is there. UI thread only.
class PythonHider {
 public:
  // Call it in each frame. It is cheap, except that hiding the frames of these profiles for the
  // first time starts a job on `queue`, which must outlive this object. Returns true if `rests`
  // changed; spans that it returned before are then invalid.
  bool Update(std::span<const Profile> profiles, bool hide, JobQueue& queue);
  // By profile; null where there is nothing to hide. Empty while frames are shown.
  std::span<const std::shared_ptr<const WithoutPython>> rests() const { return rests_; }
  const WithoutPython* rest(size_t profile) const {
    return profile < rests_.size() ? rests_[profile].get() : nullptr;
  }
  bool busy() const { return job_.active(); }

 private:
  using Traces = std::vector<std::shared_ptr<const Trace>>;
  using Rests = std::vector<std::shared_ptr<const WithoutPython>>;
  struct Made {
    Traces traces;
    Rests rests;  // by trace
  };
  bool Show();

  LatestJob<Made> job_;
  Made made_;      // result of the last job: showing and hiding frames again costs nothing
  Traces wanted_;  // what the running job makes
  Rests rests_;
  bool hidden_ = false;  // rests_ points into made_
};

}  // namespace stepscope
