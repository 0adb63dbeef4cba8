// InstallJob: copies this program to a host that has none (docs/remote.md), on a thread of the
// session. UI thread only.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/base/latest_job.h"
#include "model/base/status.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

class InstallJob {
 public:
  explicit InstallJob(JobQueue& queue) : queue_(queue) {}

  bool active() const { return job_.active(); }
  // `address`: of a profile on the host. It ends a copy that is under way.
  void Start(std::string address);
  void Stop() { job_.Stop(); }
  // Call it once a frame. Returns how the copy went, in the frame in which it has ended.
  std::optional<Status> Update();
  LoadingView View() const;  // of the copy that is under way

 private:
  JobQueue& queue_;
  LatestJob<Status> job_;
  std::string address_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace stepscope
