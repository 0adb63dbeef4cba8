// LatestJob: background work whose newest request wins, for everything that a window computes
// beside its frames. A new request tells the older one to stop; nobody waits for that one, and its
// result is dropped. A stopped job ends where it next calls CheckStop (job.h).
//
// Threads: JobQueue and LatestJob belong to one thread, that of the window. Only the work and its
// Progress run on others. A request costs one allocation.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "model/jobs/job.h"
#include "model/jobs/scheduler.h"

namespace stepscope {

// The jobs of one owner. At its end it tells them to stop and waits for them, so that no job
// outlives what the owner has. It must outlive the LatestJobs that start work on it.
class JobQueue {
 public:
  JobQueue(Scheduler& scheduler, Urgency urgency) : scheduler_(scheduler), urgency_(urgency) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue() { scheduler_.End(jobs_); }

  Scheduler::Handle Start(std::function<void()> work);
  // Tells a job to stop. False: it has not begun, and never does.
  bool Stop(const Scheduler::Handle& job) { return scheduler_.Stop(job); }
  // Jobs that have not ended, and those of them that were told to stop. O(jobs).
  size_t running();
  size_t stopping();

 private:
  void ForgetEnded();

  Scheduler& scheduler_;
  const Urgency urgency_;
  std::vector<Scheduler::Handle> jobs_;
};

template <typename T>
class LatestJob {
 public:
  using Fn = std::function<T(Progress&)>;
  // So many stopped requests may still run beside the newest one. If there are more, the newest
  // waits until one of them has ended; a later Take() starts it.
  static constexpr size_t kMaxStopping = 4;

  LatestJob() = default;
  LatestJob(LatestJob&& other) noexcept { *this = std::move(other); }
  LatestJob& operator=(LatestJob&& other) noexcept {
    if (this == &other) return *this;
    Stop();
    current_ = std::exchange(other.current_, std::nullopt);
    stopping_ = std::move(other.stopping_);
    waiting_ = std::exchange(other.waiting_, nullptr);
    queue_ = other.queue_;
    return *this;
  }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;
  ~LatestJob() { Stop(); }

  // Replaces the request. Work that throws std::bad_alloc ends without a result, see failed().
  void Start(JobQueue& queue, Fn fn) {
    Stop();
    queue_ = &queue;
    waiting_ = std::move(fn);
    StartWaiting();
  }
  // Drops the request, without waiting for the work to end.
  void Stop() {
    waiting_ = nullptr;
    if (!current_) return;
    const bool begun = queue_->Stop(current_->job);
    if (begun && !current_->shared->done.load(std::memory_order_acquire))
      stopping_.push_back(std::move(current_->shared));
    current_.reset();
  }
  // Whether there is a request that was neither taken nor stopped.
  bool active() const { return current_.has_value() || waiting_ != nullptr; }
  bool done() const { return current_ && current_->shared->done.load(std::memory_order_acquire); }
  bool busy() const { return active() && !done(); }
  // Returns the result of the newest request once; nothing while it runs. Call it each frame.
  std::optional<T> Take() {
    StartWaiting();
    if (!done()) return std::nullopt;
    std::optional<T> result = std::move(current_->shared->result);
    failed_ = !result.has_value();
    current_.reset();
    return result;
  }
  // Whether the last request that ended had too little memory for a result.
  bool failed() const { return failed_; }
  // How far the newest request is; null unless it has been started.
  const Progress* progress() const { return current_ ? &current_->shared->progress : nullptr; }

 private:
  struct Shared {  // belongs to the worker until `done`, then to the owner
    Progress progress;
    std::optional<T> result;
    std::atomic<bool> done{false};
  };
  struct Current {
    std::shared_ptr<Shared> shared;
    Scheduler::Handle job;
  };

  void StartWaiting() {
    if (!waiting_) return;
    std::erase_if(stopping_, [](const std::shared_ptr<Shared>& old) {
      return old->done.load(std::memory_order_acquire);
    });
    if (stopping_.size() >= kMaxStopping) return;
    auto shared = std::make_shared<Shared>();
    failed_ = false;
    auto work = [shared, fn = std::exchange(waiting_, nullptr)]() mutable {
      std::optional<T> result;
      try {
        CatchStopped([&] { result.emplace(fn(shared->progress)); });
      } catch (const std::bad_alloc&) {
        result.reset();
      }
      fn = nullptr;  // what it holds is freed here, not during a frame
      // A result that nobody waits for is freed here as well.
      if (!StopRequested()) shared->result = std::exchange(result, std::nullopt);
      result.reset();
      shared->done.store(true, std::memory_order_release);
    };
    Scheduler::Handle job = queue_->Start(std::move(work));
    current_.emplace(Current{std::move(shared), std::move(job)});
  }

  JobQueue* queue_ = nullptr;
  Fn waiting_;
  std::optional<Current> current_;
  std::vector<std::shared_ptr<Shared>> stopping_;
  bool failed_ = false;
};

}  // namespace stepscope
