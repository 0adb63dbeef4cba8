// Parallel work: ParallelFor, Reused, whose objects its threads take one after the other, and
// Progress, which says how far a job is. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stepscope {

// How far a long job is. Workers write it and the UI reads it each frame. All
// members are lock-free except history().
class Progress {
 public:
  void SetStage(const char* stage) {  // string literal
    stage_.store(stage, std::memory_order_relaxed);
    std::lock_guard lock(history_mutex_);
    if (history_.size() < kMaxHistory)
      history_.emplace_back(stage, std::chrono::steady_clock::now());
  }
  const char* stage() const { return stage_.load(std::memory_order_relaxed); }
  // When each stage began, in order. `bench` measures inflating, parsing and building with it.
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> history() const {
    std::lock_guard lock(history_mutex_);
    return history_;
  }
  // Bytes of the files on disk. The total is set once, before reading begins. `bytes_done` only
  // grows, and never beyond the total. Where a profile comes from elsewhere, they begin anew with a
  // stage, and the total may be 0: unknown.
  std::atomic<uint64_t> bytes_done{0}, bytes_total{0}, events{0};

 private:
  static constexpr size_t kMaxHistory = 64;
  std::atomic<const char*> stage_{""};
  mutable std::mutex history_mutex_;
  std::vector<std::pair<const char*, std::chrono::steady_clock::time_point>> history_;
};

// The number of threads to use for parallel work: the machine's cores, but 1 to 16.
unsigned WorkerCount();

// Calls fn(i) for i in [0, n) on up to `threads` threads, the caller's included; 0
// means WorkerCount(). Hands items out one by one in order, so put the largest first.
// Returns when all are done. If a call throws, the rest is skipped and the first
// exception is thrown again in the caller.
void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads = 0);

// The number of threads that ParallelFor should use for this many events in all: 1 where the caller
// alone is done before another thread has started, else 0, which means all.
unsigned ThreadsFor(uint64_t events);

// Objects that the threads of a ParallelFor use for one item after the other. Whoever takes one
// owns it until it is given back, so there are at most as many as threads. The pool lives in the
// caller while the loop runs.
template <typename T>
class Reused {
 public:
  std::unique_ptr<T> Take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<T>();
    std::unique_ptr<T> object = std::move(free_.back());
    free_.pop_back();
    return object;
  }
  void Give(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace stepscope
