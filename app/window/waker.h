// Waker: wakes the UI thread from its sleep. It exists before the window does, so that loading
// can start first. Any thread may call everything here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace stepscope {

class Waker {
 public:
  void Wake() {
    std::lock_guard lock(mutex_);
    pending_ = true;
    condition_.notify_all();
    if (post_) post_();
  }
  // Sets what Wake() calls too, which is how the window's event queue is woken; an empty function
  // removes it.
  void SetPost(std::function<void()> post) {
    std::lock_guard lock(mutex_);
    post_ = std::move(post);
    if (post_ && pending_) post_();
  }
  // Whether Wake() was called since the last call.
  bool TakeWake() {
    std::lock_guard lock(mutex_);
    return std::exchange(pending_, false);
  }
  // Sleeps until a wake-up or the end of the timeout. Surfaces without an event queue use it.
  void WaitFor(std::chrono::duration<double> timeout) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, timeout, [this] { return pending_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::function<void()> post_;
  bool pending_ = false;
};

}  // namespace stepscope
