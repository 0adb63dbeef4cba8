// Background work: a parallel loop, a cancellable job, and its progress.
// Threads: ParallelFor and Job may be used from any thread; a Job's result is taken by its owner
// only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stepscope {

// How far a long job is. Written by workers, read by the UI each frame; all members are lock-free
// but `stage`.
class Progress {
 public:
  void SetStage(const char* stage) {  // string literal
    stage_.store(stage, std::memory_order_relaxed);
    std::lock_guard lock(history_mutex_);
    if (history_.size() < kMaxHistory)
      history_.emplace_back(stage, std::chrono::steady_clock::now());
  }
  const char* stage() const { return stage_.load(std::memory_order_relaxed); }
  // When each stage began, in order; `bench` tells inflating, parsing and building apart by it.
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> history() const {
    std::lock_guard lock(history_mutex_);
    return history_;
  }
  // Of the files as they lie on the disk. The total is set once, before anything is read; what is
  // done only grows, and never beyond it.
  std::atomic<uint64_t> bytes_done{0}, bytes_total{0}, events{0};

 private:
  static constexpr size_t kMaxHistory = 64;
  std::atomic<const char*> stage_{""};
  mutable std::mutex history_mutex_;
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> history_;
};

// Number of worker threads to use: the machine's cores, at least 1, at most 16.
unsigned WorkerCount();

// Calls fn(i) for i in [0, n) on up to `threads` threads (0: WorkerCount()), the caller's included.
// Items are handed out one by one in order, so put the largest first. Returns when all are done. If
// an fn throws (no memory), the rest is skipped and the first exception is thrown again in the
// caller.
void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads = 0);

// One background computation of a T on its own thread. Destroying it requests a stop and joins.
// `wake` is called from the worker when the result is there (the app posts an empty window event).
template <typename T>
class Job {
 public:
  using Fn = std::function<T(std::stop_token, Progress&)>;
  Job(Fn fn, std::function<void()> wake)
      : thread_([this, fn = std::move(fn), wake = std::move(wake)](std::stop_token stop) {
          T result = fn(stop, progress_);
          {
            std::lock_guard lock(mutex_);
            result_.emplace(std::move(result));
          }
          done_.store(true, std::memory_order_release);
          if (wake) wake();
        }) {}

  bool done() const { return done_.load(std::memory_order_acquire); }
  const Progress& progress() const { return progress_; }
  void Cancel() { thread_.request_stop(); }
  // Waits if need be; moves the result out, once.
  T Take() {
    if (thread_.joinable()) thread_.join();
    std::lock_guard lock(mutex_);
    return std::move(*result_);
  }

 private:
  Progress progress_;
  std::mutex mutex_;
  std::optional<T> result_;
  std::atomic<bool> done_{false};
  std::jthread thread_;  // last: starts after and stops before the rest
};

}  // namespace stepscope
