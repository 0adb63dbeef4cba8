// LatestJob: one kind of background work for everything a window computes beside its frames. The
// newest request wins: an older one is told to stop, its result is dropped, and nobody waits for
// it. JobThreads owns the threads and joins them when it goes, so that no job outlives what it
// uses. Threads: both belong to one thread (that of the window); only the work, its Progress and
// `wake` run elsewhere. Costs per request: one thread, one allocation of shared state.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "model/base/task.h"

namespace stepscope {

// The threads of jobs. Must outlive the LatestJobs that start work on it; `wake` must outlive it.
class JobThreads {
 public:
  using Work = std::function<void(const std::stop_token&)>;

  // Behind frames: where both want a processor, who draws gets most of it.
  enum class Priority { kNormal, kBehindFrames };

  // `wake` is called from a worker after each work has ended.
  explicit JobThreads(std::function<void()> wake = {}, Priority priority = Priority::kNormal)
      : wake_(std::move(wake)), priority_(priority) {}
  JobThreads(const JobThreads&) = delete;
  JobThreads& operator=(const JobThreads&) = delete;
  ~JobThreads();  // tells all to stop, then waits for all

  // Starts the work on a thread of its own and returns at once. Where the machine gives no more
  // threads, the work is done before it returns.
  std::stop_source Run(Work work);
  // Work that has not ended, and how much of it was told to stop. Joins what has ended: O(threads).
  size_t running();
  size_t stopping();

 private:
  struct Worker {
    std::jthread thread;
    std::shared_ptr<std::atomic<bool>> ended;
  };
  void JoinEnded();

  std::function<void()> wake_;
  Priority priority_;
  std::vector<Worker> workers_;
};

template <typename T>
class LatestJob {
 public:
  using Fn = std::function<T(const std::stop_token&, Progress&)>;
  // Older requests that run down beside the newest one. Beyond that the newest waits until one of
  // them has ended; a later Take starts it.
  static constexpr size_t kMaxStopping = 4;

  LatestJob() = default;
  LatestJob(LatestJob&& other) noexcept { *this = std::move(other); }
  LatestJob& operator=(LatestJob&& other) noexcept {
    if (this == &other) return *this;
    Stop();
    current_ = std::exchange(other.current_, std::nullopt);
    stopping_ = std::move(other.stopping_);
    waiting_ = std::exchange(other.waiting_, nullptr);
    threads_ = other.threads_;
    return *this;
  }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;
  ~LatestJob() { Stop(); }

  // Work that throws std::bad_alloc ends without a result: `failed`.
  void Start(JobThreads& threads, Fn fn) {
    Stop();
    threads_ = &threads;
    waiting_ = std::move(fn);
    StartWaiting();
  }
  // Nobody wants the result any more. Does not wait.
  void Stop() {
    waiting_ = nullptr;
    if (!current_) return;
    current_->stop.request_stop();
    if (!current_->shared->done.load(std::memory_order_acquire))
      stopping_.push_back(std::move(current_->shared));
    current_.reset();
  }
  // Asked for, and neither taken nor stopped.
  bool active() const { return current_.has_value() || waiting_ != nullptr; }
  bool done() const { return current_ && current_->shared->done.load(std::memory_order_acquire); }
  bool busy() const { return active() && !done(); }
  // The result of the newest request, once; nothing while it runs. Call it each frame.
  std::optional<T> Take() {
    StartWaiting();
    if (!done()) return std::nullopt;
    std::optional<T> result = std::move(current_->shared->result);
    failed_ = !result.has_value();
    current_.reset();
    return result;
  }
  // Whether the last request that ended had no memory for a result.
  bool failed() const { return failed_; }
  // Of the newest request; null unless it has been started.
  const Progress* progress() const { return current_ ? &current_->shared->progress : nullptr; }

 private:
  struct Shared {  // by the worker and the owner; `done` hands the result over
    Progress progress;
    std::optional<T> result;
    std::atomic<bool> done{false};
  };
  struct Current {
    std::shared_ptr<Shared> shared;
    std::stop_source stop;
  };

  void StartWaiting() {
    if (!waiting_) return;
    std::erase_if(stopping_, [](const std::shared_ptr<Shared>& old) {
      return old->done.load(std::memory_order_acquire);
    });
    if (stopping_.size() >= kMaxStopping) return;
    auto shared = std::make_shared<Shared>();
    failed_ = false;
    JobThreads::Work work =
        [shared, fn = std::exchange(waiting_, nullptr)](const std::stop_token& stop) mutable {
          std::optional<T> result;
          try {
            result.emplace(fn(stop, shared->progress));
          } catch (const std::bad_alloc&) {
            result.reset();
          }
          fn = nullptr;  // what it held goes here, not in a frame
          // The same for a result that nobody waits for.
          if (!stop.stop_requested()) shared->result = std::exchange(result, std::nullopt);
          result.reset();
          shared->done.store(true, std::memory_order_release);
        };
    std::stop_source stop = threads_->Run(std::move(work));
    current_.emplace(Current{std::move(shared), std::move(stop)});
  }

  JobThreads* threads_ = nullptr;
  Fn waiting_;
  std::optional<Current> current_;
  std::vector<std::shared_ptr<Shared>> stopping_;
  bool failed_ = false;
};

}  // namespace stepscope
