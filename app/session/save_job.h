// SaveJob: File > Save as, as a job of the session. It lives on while other profiles are opened
// and closed, because it owns the trace that it writes. UI thread only.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "model/base/latest_job.h"
#include "model/base/status.h"
#include "model/trace.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

class SaveJob {
 public:
  explicit SaveJob(JobQueue& queue) : queue_(queue) {}

  bool active() const { return job_.active(); }
  // Writes the range of the trace into the file. None may be under way.
  void Start(std::shared_ptr<const Trace> trace, TimeRange range, std::filesystem::path target);
  // Ends a save, and returns what the user is told; nothing if none is under way.
  std::optional<std::string> Stop();
  // Call it once a frame. Returns what the user is told, in the frame in which the save has ended.
  std::optional<std::string> Update();
  LoadingView View() const;  // of the save that is under way

 private:
  JobQueue& queue_;
  LatestJob<Status> job_;
  std::string path_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace stepscope
