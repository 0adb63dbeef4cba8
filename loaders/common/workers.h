// The threads of one ParallelFor share this: objects that are used again, and the first error. Both
// live in the caller while the loop runs. Any of its threads may call all members, but
// FirstError::Take only after the loop.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "model/base/status.h"

namespace stepscope {

// Objects that are worth keeping for the next item. Whoever takes one owns it until it is given
// back, so there are at most as many as threads.
template <typename T>
class Pool {
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

// The first error that one of several workers set.
class FirstError {
 public:
  void Set(Status status) {
    if (status.ok()) return;
    std::lock_guard lock(mutex_);
    if (first_.ok()) first_ = std::move(status);
    any_.store(true, std::memory_order_relaxed);
  }
  // Whether there is an error: then the other workers need not go on.
  bool any() const { return any_.load(std::memory_order_relaxed); }
  Status Take() { return std::move(first_); }

 private:
  std::mutex mutex_;
  Status first_;
  std::atomic<bool> any_{false};
};

}  // namespace stepscope
