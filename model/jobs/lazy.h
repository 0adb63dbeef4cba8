// Lazy and Recent: values that are computed on first use, one value or one for each key. If several
// threads ask at once, one computes and the others help it (Scheduler::HelpUntil). A computation
// that throws, Stopped above all, leaves nothing behind: the next caller computes anew. Any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "model/base/check.h"
#include "model/jobs/job.h"
#include "model/jobs/scheduler.h"

namespace stepscope {

template <typename T>
class Lazy {
 public:
  Lazy() = default;
  // Returns the value, which compute() makes if there is none. compute() must not ask for the same
  // value.
  template <typename Fn>
  std::shared_ptr<const T> Share(const Fn& compute) {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (value_ == nullptr) value_ = released_.lock();
      if (value_ != nullptr) return value_;
      if (computing_ == nullptr) return Compute(compute, std::move(lock));
      Await(std::move(lock));
    }
  }
  // The same. The reference is valid until Release or the end of the Lazy.
  template <typename Fn>
  const T& Get(const Fn& compute) {
    return *Share(compute);
  }
  // From now on the value lives only as long as others hold it. A value that is being computed
  // stays.
  void Release() {
    std::lock_guard lock(mutex_);
    if (value_ == nullptr) return;
    released_ = value_;
    value_ = nullptr;
  }

 private:
  // What one computation and those who wait for it share.
  struct Computation {
    explicit Computation(const JobScope::State& job)
        : scheduler(job.scheduler), scope{job.within} {}
    Scheduler* const scheduler;
    const WorkScope scope;
    std::atomic<bool> ended{false};
  };

  template <typename Fn>
  std::shared_ptr<const T> Compute(const Fn& compute, std::unique_lock<std::mutex> lock) {
    const JobScope::State& job = JobScope::Current();
    const auto own = std::make_shared<Computation>(job);
    computing_ = own;
    lock.unlock();
    std::shared_ptr<const T> value;
    try {
      const JobScope inside({job.scheduler, job.stop, job.urgency, &own->scope});
      value = std::make_shared<const T>(compute());
    } catch (...) {
      End(*own, nullptr);
      throw;
    }
    End(*own, value);
    return value;
  }

  void End(Computation& own, std::shared_ptr<const T> value) {
    {
      std::lock_guard lock(mutex_);
      value_ = std::move(value);
      computing_ = nullptr;
      own.ended = true;
    }
    ended_.notify_all();
    if (own.scheduler != nullptr) own.scheduler->NotifyWaiting();
  }

  void Await(std::unique_lock<std::mutex> lock) {
    const std::shared_ptr<Computation> other = computing_;
    const bool own = JobScope::Current().within != nullptr &&
                     JobScope::Current().within->IsWithin(&other->scope);
    STEPSCOPE_DCHECK(!own);  // else it would wait for itself
    if (other->scheduler == nullptr) {
      ended_.wait(lock, [&] { return other->ended.load(); });
      return;
    }
    lock.unlock();
    other->scheduler->HelpUntil(other->scope, [&] { return other->ended.load(); });
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::shared_ptr<Computation> computing_;
  std::shared_ptr<const T> value_;
  std::weak_ptr<const T> released_;  // what Release left, if others still hold it
};

// Values by key. The `most` keys asked for last are kept.
template <typename Key, typename T>
class Recent {
 public:
  explicit Recent(size_t most) : most_(most) {}
  template <typename Fn>
  std::shared_ptr<const T> Share(const Key& key, const Fn& compute) {
    return Find(key)->Share(compute);
  }
  void Release() {
    std::lock_guard lock(mutex_);
    for (auto& [key, value] : values_) value->Release();
  }

 private:
  std::shared_ptr<Lazy<T>> Find(const Key& key) {
    std::lock_guard lock(mutex_);
    for (auto it = values_.begin(); it != values_.end(); ++it) {
      if (it->first != key) continue;
      values_.splice(values_.begin(), values_, it);
      return values_.front().second;
    }
    if (values_.size() >= most_) values_.pop_back();
    return values_.emplace_front(key, std::make_shared<Lazy<T>>()).second;
  }

  const size_t most_;
  std::mutex mutex_;
  std::list<std::pair<Key, std::shared_ptr<Lazy<T>>>> values_;  // last asked for first
};

}  // namespace stepscope
