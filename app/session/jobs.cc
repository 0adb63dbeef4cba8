#include "app/session/jobs.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/session/profile_facts.h"
#include "app/system/paths.h"
#include "loaders/remote/remote_load.h"
#include "loaders/store/store_writer.h"
#include "loaders/store/trace_part.h"
#include "model/base/check.h"
#include "model/base/digits.h"

namespace stepscope {

LoadingView ViewOfJob(std::string path, std::chrono::steady_clock::time_point begin,
                      const Progress* progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto since = [&](std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  LoadingView view;
  view.path = std::move(path);
  view.seconds = since(begin);
  if (progress == nullptr) return view;
  view.stage = progress->stage();
  const auto stages = progress->history();
  if (!stages.empty()) view.stage_seconds = since(stages.back().second);
  view.bytes_done = progress->bytes_done.load(std::memory_order_relaxed);
  view.bytes_total = progress->bytes_total.load(std::memory_order_relaxed);
  view.events = progress->events.load(std::memory_order_relaxed);
  return view;
}

void InstallJob::Start(std::string address) {
  address_ = std::move(address);
  begin_ = std::chrono::steady_clock::now();
  job_.Start(queue_, [address = address_](Progress& progress) {
    return remote::InstallRemote(address, remote::kThisProgram, CurrentStopToken(), progress);
  });
}

std::optional<Status> InstallJob::Update() {
  if (!active()) return std::nullopt;
  std::optional<Status> status = job_.Take();
  if (!status && !job_.failed()) return std::nullopt;
  if (!status) status = Status(ErrorCode::kLimit, address_ + ": not enough memory");
  job_.Stop();
  return status;
}

LoadingView InstallJob::View() const { return ViewOfJob(address_, begin_, job_.progress()); }

namespace {

Status WriteProfile(std::shared_ptr<const Trace> trace, TimeRange range,
                    const std::filesystem::path& target, Progress* progress) {
  const std::stop_token stop = CurrentStopToken();
  if (!range.empty()) trace = PartOfTrace(std::move(trace), range, HostId(), stop);
  if (trace == nullptr) return {ErrorCode::kCancelled, "cancelled"};
  AtomicFile file(target);
  bool good = true;
  Status status = store::WriteStore(
      *trace, StoreFactsOf(*trace),
      [&](std::string_view bytes) {
        good = good && file.Write(bytes);
        progress->bytes_done += bytes.size();
      },
      stop);
  if (!status.ok()) return status;
  if (good && file.Commit()) return {};
  return {ErrorCode::kIo, target.string() + ": cannot be written"};
}

}  // namespace

void SaveJob::Start(std::shared_ptr<const Trace> trace, TimeRange range,
                    std::filesystem::path target) {
  STEPSCOPE_DCHECK(!active());
  path_ = target.string();
  begin_ = std::chrono::steady_clock::now();
  job_.Start(queue_,
             [trace = std::move(trace), range, target = std::move(target)](Progress& progress) {
               return WriteProfile(trace, range, target, &progress);
             });
}

std::optional<std::string> SaveJob::Stop() {
  if (!active()) return std::nullopt;
  job_.Stop();
  return "Not saved: " + path_;
}

std::optional<std::string> SaveJob::Update() {
  if (!active()) return std::nullopt;
  const std::optional<Status> status = job_.Take();
  if (!status) {
    if (!job_.failed()) return std::nullopt;
    return "Not saved: " + path_ + ": not enough memory";
  }
  if (!status->ok()) return "Not saved: " + status->message();
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path_, error);
  return "Saved " + path_ + " (" + BytesText(error ? 0 : bytes) + ")";
}

LoadingView SaveJob::View() const {
  LoadingView view = ViewOfJob(path_, begin_, job_.progress());
  view.stage = "Saving the profile";
  view.stage_seconds = view.seconds;
  view.previewed = true;
  return view;
}

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
