// The long jobs of a session beside loading: copying the program to another machine, saving a
// profile, recording a program. UI thread only.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "capture/call_servers.h"
#include "capture/record.h"
#include "model/base/status.h"
#include "model/jobs/job.h"
#include "model/jobs/latest_job.h"
#include "model/trace.h"
#include "viewer/core/profiles/session_view.h"

namespace stepscope {

// How a job is shown while it runs. `progress` null: it has not begun.
LoadingView ViewOfJob(std::string path, std::chrono::steady_clock::time_point begin,
                      const Progress* progress);

// InstallJob: copies this program to a host that has none (docs/remote.md), as a job of the
// session. UI thread only.
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

// SaveJob: File > Save as, as a job of the session. It lives on while other profiles are opened
// and closed, because it owns the trace that it writes. UI thread only.
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

// CaptureJob: the recording of running programs that the window asks for (capture/record.h), as a
// job of the session. UI thread only.
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
