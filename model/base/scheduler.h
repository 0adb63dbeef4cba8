// Scheduler: owns the threads of a program and runs jobs on them, the urgent ones first. The loops
// of a job (ParallelFor) are done by all threads of its urgency that have nothing else to do. A
// thread that waits, for the last item of its loop or for a value that another thread computes
// (lazy.h), helps meanwhile with what it waits for.
//
// Threads start when they are first needed, at most `threads` for each urgency, and end with the
// scheduler. Jobs of kRest begin when no job of kFirst is left, at most two at a time. With no
// threads at all, as in a page of a browser, jobs wait in line until RunOne runs them one by one
// between two frames. Any thread may call any function.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "model/base/job.h"

namespace stepscope {

class Scheduler {
 public:
  static constexpr size_t kMostOfRest = 2;  // jobs of kRest at a time: each may need much memory

  // `wake` is called by a thread of the scheduler whenever a job has ended.
  explicit Scheduler(unsigned threads = WorkerCount(), std::function<void()> wake = {});
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();  // tells all jobs to stop, then waits for them

  struct Job {
    const Urgency urgency;
    std::function<void()> work;
    std::stop_source stop;
    bool begun = false;               // guarded by the scheduler's mutex
    std::atomic<bool> ended = false;  // after the work was freed
    Job(Urgency how, std::function<void()> what) : urgency(how), work(std::move(what)) {}
  };
  using Handle = std::shared_ptr<Job>;

  // Queues the work and returns at once. The work may throw Stopped. If the machine has no thread
  // to give, the work is done before this returns.
  Handle Start(Urgency urgency, std::function<void()> work);
  // Tells jobs to stop and waits for their end. Those that have not begun never do.
  void End(std::span<const Handle> jobs);
  // Runs the job that is next in line; false if none waits. For schedulers without threads.
  bool RunOne();
  // Jobs that have not ended, whether they have begun or not. O(1).
  size_t running() const;

  // For ParallelFor: does the loop of the calling thread's job with the help of others.
  void RunLoop(size_t n, const std::function<void(size_t)>& fn, unsigned threads);
  // For Lazy: helps with the loops within `scope` until done() holds, which is asked after each
  // NotifyWaiting(). Throws Stopped if the caller's job is told to stop meanwhile.
  void HelpUntil(const WorkScope& scope, const std::function<bool()>& done);
  void NotifyWaiting();

 private:
  struct Loop;
  using Lock = std::unique_lock<std::mutex>;
  struct BlockingThread {
    Handle job;
    std::jthread thread;
  };

  void Work(Urgency urgency);
  Loop* FindLoop(Urgency urgency, const WorkScope* within) const;
  void Join(Loop& loop, Lock& lock);
  Handle NextJob(Urgency urgency);
  void Run(const Handle& job, Lock& lock);
  void StartThreads(Urgency urgency, size_t wanted);
  void StartBlocking(const Handle& job, Lock& lock);
  std::vector<BlockingThread> TakeEndedBlocking();
  size_t Count(Urgency urgency, bool begun_only) const;

  const unsigned threads_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;             // guards all below
  std::condition_variable work_;       // a loop or job has come, or the end
  std::condition_variable waiting_;    // what RunLoop and HelpUntil wait for may have come
  std::condition_variable ended_;      // a job has ended
  std::vector<Loop*> loops_;           // oldest first
  std::vector<Handle> jobs_;           // not ended; oldest first
  std::vector<std::jthread> pool_[2];  // by urgency: kFirst, kRest
  size_t idle_[2] = {0, 0};
  size_t helpers_waiting_ = 0;  // threads in waiting_
  std::vector<BlockingThread> blocking_;
  bool ending_ = false;
};

}  // namespace stepscope
