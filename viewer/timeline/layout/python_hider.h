// PythonHider: the open traces without their Python frames, made in the background. Frames are
// shown until the result is there. UI thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/base/latest_job.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/layout/python_frames.h"

namespace stepscope {

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
