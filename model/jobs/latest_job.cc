#include "model/jobs/latest_job.h"

#include <algorithm>

namespace stepscope {

Scheduler::Handle JobQueue::Start(std::function<void()> work) {
  ForgetEnded();
  return jobs_.emplace_back(scheduler_.Start(urgency_, std::move(work)));
}

void JobQueue::ForgetEnded() {
  std::erase_if(jobs_, [](const Scheduler::Handle& job) { return job->ended.load(); });
}

size_t JobQueue::running() {
  ForgetEnded();
  return jobs_.size();
}

size_t JobQueue::stopping() {
  ForgetEnded();
  return static_cast<size_t>(
      std::count_if(jobs_.begin(), jobs_.end(),
                    [](const Scheduler::Handle& job) { return job->stop.stop_requested(); }));
}

}  // namespace stepscope
