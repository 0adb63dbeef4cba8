#include "model/base/latest_job.h"

#include <sys/resource.h>

#include <system_error>

namespace stepscope {
namespace {

constexpr int kBehindFrames = 10;  // nice value: about a tenth of the time of a thread that draws

// On Linux this sets the calling thread only; threads that it starts inherit the value.
void LetOthersFirst() {
#ifdef __linux__
  if (getpriority(PRIO_PROCESS, 0) < kBehindFrames) setpriority(PRIO_PROCESS, 0, kBehindFrames);
#endif
}

}  // namespace

JobThreads::~JobThreads() {
  for (Worker& worker : workers_)
    worker.thread.request_stop();  // first all, so that they end side by side
  workers_.clear();
}

std::stop_source JobThreads::Run(Work work) {
  JoinEnded();
  auto ended = std::make_shared<std::atomic<bool>>(false);
  auto shared = std::make_shared<Work>(std::move(work));
  const auto body = [this, ended, shared](const std::stop_token& stop) {
    (*shared)(stop);
    *shared = nullptr;
    ended->store(true, std::memory_order_release);
    if (wake_) wake_();
  };
  try {
    const auto on_worker = [body, behind = priority_ ==
                                           Priority::kBehindFrames](const std::stop_token& stop) {
      if (behind) LetOthersFirst();
      body(stop);
    };
    Worker& worker = workers_.emplace_back(Worker{std::jthread(on_worker), ended});
    return worker.thread.get_stop_source();
  } catch (const std::system_error&) {
    std::stop_source never;
    body(never.get_token());
    return never;
  }
}

void JobThreads::JoinEnded() {
  std::erase_if(workers_,
                [](const Worker& worker) { return worker.ended->load(std::memory_order_acquire); });
}

size_t JobThreads::running() {
  JoinEnded();
  return workers_.size();
}

size_t JobThreads::stopping() {
  JoinEnded();
  size_t n = 0;
  for (Worker& worker : workers_) n += worker.thread.get_stop_token().stop_requested() ? 1u : 0u;
  return n;
}

}  // namespace stepscope
