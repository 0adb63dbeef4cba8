// FirstError: the threads of one ParallelFor share it. It lives in the caller while the loop runs.
// Any of its threads may call all members, but Take only after the loop.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "model/base/status.h"

namespace stepscope {

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
