// CaptureJob: the recording of running programs that the window asks for (capture/record.h), on a
// thread of the session. UI thread only.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "capture/call_servers.h"
#include "capture/record.h"
#include "model/base/latest_job.h"
#include "viewer/core/profiles/capture_view.h"

namespace stepscope {

class CaptureJob {
 public:
  explicit CaptureJob(JobQueue& queue) : queue_(queue) {}

  // Begins to record, unless a recording is in progress. What cannot be recorded becomes
  // status->problem at once.
  void Start(const CaptureRequest& request, CaptureStatus* status);
  void Cancel(CaptureStatus* status);
  // Call it once a frame. Returns the run's folder in the frame in which it is written.
  std::optional<std::string> Update(CaptureStatus* status);

 private:
  void TellProgress(CaptureStatus* status) const;
  std::optional<std::string> Finish(Result<capture::Recorded> recorded, CaptureStatus* status);

  JobQueue& queue_;
  LatestJob<Result<capture::Recorded>> job_;
  std::chrono::milliseconds duration_{0};
  std::shared_ptr<capture::SentTime> sent_;
  bool running_ = false;
};

}  // namespace stepscope
