#include "app/session/install_job.h"

#include <utility>

#include "app/session/job_view.h"
#include "loaders/remote/remote_load.h"

namespace stepscope {

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

}  // namespace stepscope
