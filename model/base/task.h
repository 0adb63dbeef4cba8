// Background work: a parallel loop, and how far a job is. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
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

}  // namespace stepscope
