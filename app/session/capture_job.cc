#include "app/session/capture_job.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "app/system/paths.h"
#include "model/base/bytes_text.h"

namespace stepscope {
namespace {

std::string AtHome(const std::string& folder) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || (folder != "~" && !folder.starts_with("~/"))) return folder;
  return home + folder.substr(1);
}

// The options of a recording; kUsage where the request makes no sense.
Result<capture::RecordOptions> RecordOptionsOf(const CaptureRequest& request,
                                               const CaptureStatus& status) {
  Result<std::vector<capture::Address>> servers = capture::ParseAddresses(request.addresses);
  if (!servers.ok()) return servers.status();
  capture::RecordOptions options;
  options.servers = std::move(servers).value();
  options.duration = std::chrono::milliseconds(request.duration_ms);
  options.delay = std::chrono::milliseconds(request.delay_ms);
  options.host_level = request.host_level;
  options.device_level = request.device_level;
  options.python_level = request.python_level;
  options.log_directory = request.folder.empty() ? status.default_folder : AtHome(request.folder);
  if (options.log_directory.empty())
    return Status(ErrorCode::kUsage, "there is no folder for recordings; choose one");
  return options;
}

}  // namespace

void CaptureJob::Start(const CaptureRequest& request, CaptureStatus* status) {
  if (running_) return;
  status->problem.clear();
  status->some_recorded = false;
  status->addresses = request.addresses;
  const Result<capture::RecordOptions> options = RecordOptionsOf(request, *status);
  if (!options.ok()) {
    status->problem = options.status().message();
    return;
  }
  duration_ = options->duration;
  running_ = status->running = true;
  sent_ = std::make_shared<capture::SentTime>();
  job_.Start(queue_, [options = *options, sent = sent_](Progress& progress) {
    const capture::WriteFile write = [](const std::string& path, std::string_view contents) {
      return WriteFileAtomically(path, contents);
    };
    return capture::RecordPrograms(options, write, CurrentStopToken(), progress, sent.get());
  });
  TellProgress(status);
}

void CaptureJob::Cancel(CaptureStatus* status) {
  job_.Stop();
  running_ = status->running = false;
}

std::optional<std::string> CaptureJob::Update(CaptureStatus* status) {
  if (!running_) return std::nullopt;
  TellProgress(status);
  if (std::optional<Result<capture::Recorded>> recorded = job_.Take())
    return Finish(std::move(*recorded), status);
  if (job_.failed())
    return Finish(Status(ErrorCode::kLimit,
                         "not enough memory for the recording; record for less time, or with lower "
                         "tracer levels"),
                  status);
  return std::nullopt;
}

void CaptureJob::TellProgress(CaptureStatus* status) const {
  status->done = -1;
  status->amount.clear();
  const Progress* progress = job_.progress();
  if (progress == nullptr) return;
  status->stage = progress->stage();
  const uint64_t total = progress->bytes_total, bytes = progress->bytes_done;
  if (status->stage == capture::kStageRecording) {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - sent_->load();
    const double whole = std::chrono::duration<double>(duration_).count();
    status->done = past.count() / whole;
    status->amount = fmt::format("{:.1f} of {:.6g} s", past.count(), whole);
  } else if (total > 0) {
    status->done = static_cast<double>(bytes) / static_cast<double>(total);
    status->amount = BytesText(bytes) + " of " + BytesText(total);
  }
}

std::optional<std::string> CaptureJob::Finish(Result<capture::Recorded> recorded,
                                              CaptureStatus* status) {
  running_ = status->running = false;
  if (!recorded.ok()) {
    if (recorded.status().code() != ErrorCode::kCancelled)
      status->problem = recorded.status().message();
    return std::nullopt;
  }
  for (const std::string& failure : recorded->failures)
    status->problem += (status->problem.empty() ? "" : "\n") + failure;
  status->some_recorded = !status->problem.empty();
  return recorded->run_directory;
}

}  // namespace stepscope
