#include "app/session/save_job.h"

#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/session/job_view.h"
#include "app/session/store_facts.h"
#include "app/system/paths.h"
#include "loaders/store/store_writer.h"
#include "loaders/store/trace_part.h"
#include "model/base/bytes_text.h"

namespace stepscope {
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

}  // namespace stepscope
