// Scheduler: owns the threads of a program and runs jobs on them, the urgent ones first. The loops
// of a job (ParallelFor) are done by all threads of its urgency that have nothing else to do. A
// thread that waits, for the last item of its loop or for a value that another thread computes
// (lazy.h), helps meanwhile with what it waits for.
//
// There are two pools of at most `threads` threads each. One does jobs of kFirst, and loops of
// kFirst and kBlocking; the other one is behind threads that draw, and does jobs of kRest, and
// loops of kSoon and kRest. Jobs of kRest begin when no job of kFirst is left, at most two at a
// time. Threads start when they are first needed and end with the scheduler; one that helps with a
// loop leaves it for a job that may begin. With no threads at all, as in a page of a browser, jobs
// wait in line until RunOne runs them one by one between two frames. Any thread may call any
// function.
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

#include "model/jobs/job.h"

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
  // Tells a job to stop. False: it has not begun, and never does.
  bool Stop(const Handle& job);
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
  struct OwnThread {  // that does one job only
    Handle job;
    std::jthread thread;
  };

  // Threads that do the same jobs.
  enum Pool : size_t { kInFront, kBehind };
  static Pool PoolOf(Urgency urgency);

  void Work(Pool pool);
  Loop* FindLoop(Pool pool) const;
  Loop* FindLoopWithin(const WorkScope& scope) const;
  void Join(Loop& loop, Lock& lock, const std::atomic<bool>& leave);
  Handle NextJob(Urgency urgency);
  void Run(const Handle& job, Lock& lock);
  void StartThreads(Pool pool, size_t wanted);
  void WakeThreads(Pool pool, size_t wanted);
  void OfferJobs(Pool pool, size_t count);
  bool Withdraw(const Handle& job);
  void StartOwnThread(const Handle& job, Lock& lock);
  std::vector<OwnThread> TakeEndedThreads();
  size_t Count(Urgency urgency, bool begun_only) const;

  const unsigned threads_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;            // guards all below
  std::condition_variable work_[2];     // by pool: a loop or job has come, or the end
  std::condition_variable waiting_;     // what RunLoop and HelpUntil wait for may have come
  std::condition_variable ended_;       // a job has ended
  std::vector<Loop*> loops_;            // oldest first
  std::vector<Handle> jobs_;            // not ended; oldest first
  std::vector<std::jthread> pools_[2];  // by pool
  size_t idle_[2] = {0, 0};             // by pool: threads in work_ that were not woken
  size_t woken_[2] = {0, 0};            // by pool: threads that were woken and have not noticed yet
  size_t helpers_waiting_ = 0;          // threads in waiting_
  std::vector<OwnThread> own_threads_;
  std::atomic<bool> offers_[2] = {false,
                                  false};  // by pool: a job may begin; read without the mutex
  bool ending_ = false;
};

}  // namespace stepscope
