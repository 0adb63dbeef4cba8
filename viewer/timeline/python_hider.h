// PythonHider: what is left of the open traces without their Python frames, nested again in the
// background; frames are shown until it is there. UI thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/base/latest_job.h"
#include "viewer/core/run.h"
#include "viewer/timeline/python_frames.h"

namespace stepscope {

class PythonHider {
 public:
  // Call it each frame. Cheap, but for the first time that frames of these runs are to be hidden:
  // that starts a job on `threads`, which must outlive this. True if what `rests` gives changed;
  // what it gave before dies then.
  bool Update(std::span<const Run> runs, bool hide, JobThreads& threads);
  // By run, null where there is nothing to hide; empty while frames are shown.
  std::span<const std::shared_ptr<const WithoutPython>> rests() const { return rests_; }
  const WithoutPython* rest(size_t run) const {
    return run < rests_.size() ? rests_[run].get() : nullptr;
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
  Made made_;      // of the last job: frames shown and hidden again cost nothing
  Traces wanted_;  // of the job that runs
  Rests rests_;
  bool hidden_ = false;  // rests_ is of made_
};

}  // namespace stepscope
