// Jobs: what a thread works for. A Scheduler (scheduler.h) runs jobs; code inside of one asks here
// whether it was told to stop, and shares its loops with the scheduler's other threads. A thread
// knows its job through JobScope, so that neither a stop token nor a pool is passed through every
// function. Outside of a job nothing stops, and loops run on the calling thread.
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
#include <utility>
#include <vector>

namespace stepscope {

class Scheduler;  // model/jobs/scheduler.h

// Thrown by CheckStop in a job that was told to stop. The border of the job catches it (Scheduler,
// LatestJob, CatchStopped), so that no incomplete result leaves the job. It is no std::exception:
// code that catches those lets it pass.
struct Stopped {};

// Throws Stopped if the thread's job was told to stop. Long loops call it every few milliseconds.
void CheckStop();
// For code that must tidy up, or that waits for something else.
bool StopRequested();
// The stop token of the thread's job; one that never stops outside of jobs.
std::stop_token CurrentStopToken();

// What is urgent, and thereby which threads do it.
enum class Urgency : uint8_t {
  kFirst,     // what the window waits for: loads, the first sentence, a search while typing
  kSoon,      // short work for what the user does, such as a selection: begins at once, on a thread
              // of its own, and runs behind threads that draw
  kRest,      // begins when nothing of kFirst is left, and runs behind threads that draw
  kBlocking,  // waits for something outside, such as a dialog: it has a thread of its own
};

// A piece of work inside of another one. A thread that waits for the end of a piece helps with the
// loops below it, and with no others: those may wait for what the thread itself is in the midst of.
struct WorkScope {
  const WorkScope* parent = nullptr;
  bool IsWithin(const WorkScope* other) const;  // O(depth)
};

// Makes a job that of the calling thread, as long as the scope lives. Scopes of a thread nest.
class JobScope {
 public:
  struct State {
    Scheduler* scheduler = nullptr;  // null: loops run on the calling thread
    std::stop_token stop;
    Urgency urgency = Urgency::kFirst;
    const WorkScope* within = nullptr;
  };

  // Begins a job.
  explicit JobScope(Scheduler* scheduler, std::stop_token stop = {},
                    Urgency urgency = Urgency::kFirst);
  // Enters a piece of work of the thread's own job, or of another one's that the thread helps.
  explicit JobScope(State state);
  JobScope(const JobScope&) = delete;
  JobScope& operator=(const JobScope&) = delete;
  ~JobScope();

  // What the calling thread works for.
  static const State& Current();

 private:
  const WorkScope root_;
  const State state_;
  const State* const before_;
};

// Calls fn, which may throw Stopped. Returns whether it did not: the border of a job.
bool CatchStopped(const std::function<void()>& fn);

// The number of threads for parallel work: the machine's cores, but 1 to 16.
unsigned WorkerCount();

// Calls fn(i) for i in [0, n) on up to `threads` threads, the caller's included; 0 means all that
// the job's scheduler has. Hands items out one by one in order, so put the largest first. Returns
// when all are done. If a call throws, the rest is skipped and the first exception is thrown again
// in the caller. Throws Stopped between two items of a job that was told to stop.
void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads = 0);

// The number of threads that ParallelFor should use for this many events in all: 1 where the caller
// alone is done before another thread has begun, else 0, which means all.
unsigned ThreadsFor(uint64_t events);

// How far a long job is. Workers write it and the UI reads it each frame. All members are lock-free
// except history().
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
