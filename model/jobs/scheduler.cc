#include "model/jobs/scheduler.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>

namespace stepscope {
namespace {

constexpr int kBehindFrames = 10;  // nice value: about a tenth of the time of a thread that draws
const std::atomic<bool> kStay = false;

// Ctrl+C is for the main thread, or for one that waits for it.
void LeaveInterruptsToOthers() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
}

// On Linux this sets the calling thread only.
void LetOthersFirst() {
#ifdef __linux__
  if (getpriority(PRIO_PROCESS, 0) < kBehindFrames) setpriority(PRIO_PROCESS, 0, kBehindFrames);
#endif
}

}  // namespace

Scheduler::Pool Scheduler::PoolOf(Urgency urgency) {
  return urgency == Urgency::kSoon || urgency == Urgency::kRest ? kBehind : kInFront;
}

// One call of ParallelFor. It lives on the stack of its caller, who waits for the others.
struct Scheduler::Loop {
  Loop(size_t items, const std::function<void(size_t)>& call, size_t most_threads,
       const JobScope::State& job)
      : n(items), fn(call), most(most_threads), of(job), scope{job.within} {}

  const size_t n;
  const std::function<void(size_t)>& fn;
  const size_t most;  // threads that may take part
  const JobScope::State& of;
  const WorkScope scope;
  std::atomic<size_t> next{0};
  size_t threads = 1;        // that take part; guarded by the scheduler's mutex
  std::exception_ptr error;  // the first one; guarded by error_mutex
  std::mutex error_mutex;

  bool Open() const { return threads < most && next.load(std::memory_order_relaxed) < n; }

  void Work(const std::atomic<bool>& leave) {
    const JobScope inside({of.scheduler, of.stop, of.urgency, &scope});
    try {
      while (!leave.load(std::memory_order_relaxed)) {
        const size_t i = next.fetch_add(1, std::memory_order_relaxed);
        if (i >= n) return;
        CheckStop();
        fn(i);
      }
    } catch (...) {
      next.store(n, std::memory_order_relaxed);
      std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  }
};

Scheduler::Scheduler(unsigned threads, std::function<void()> wake)
    : threads_(threads), wake_(std::move(wake)) {}

Scheduler::~Scheduler() {
  std::vector<Handle> jobs;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    jobs = jobs_;
  }
  End(jobs);
  for (std::condition_variable& work : work_) work.notify_all();
  own_threads_.clear();
  for (std::vector<std::jthread>& pool : pools_) pool.clear();
}

size_t Scheduler::Count(Urgency urgency, bool begun_only) const {
  return static_cast<size_t>(std::count_if(jobs_.begin(), jobs_.end(), [&](const Handle& job) {
    return job->urgency == urgency && (job->begun || !begun_only);
  }));
}

size_t Scheduler::running() const {
  std::lock_guard lock(mutex_);
  return jobs_.size();
}

Scheduler::Handle Scheduler::Start(Urgency urgency, std::function<void()> work) {
  auto job = std::make_shared<Job>(urgency, std::move(work));
  std::vector<OwnThread> ended;  // joined last, without the lock
  Lock lock(mutex_);
  jobs_.push_back(job);
  if (threads_ == 0) return job;  // RunOne
  if (urgency == Urgency::kBlocking || urgency == Urgency::kSoon) {
    ended = TakeEndedThreads();
    StartOwnThread(job, lock);
    return job;
  }
  const Pool pool = PoolOf(urgency);
  StartThreads(pool, 1);
  if (pools_[pool].empty()) {
    job->begun = true;
    Run(job, lock);
  } else {
    OfferJobs(pool, 1);
  }
  return job;
}

// Drops a job that has not begun.
bool Scheduler::Withdraw(const Handle& job) {
  if (job->begun || std::erase(jobs_, job) == 0) return false;
  job->ended = true;
  if (job->urgency == Urgency::kFirst) OfferJobs(kBehind, kMostOfRest);
  return true;
}

bool Scheduler::Stop(const Handle& job) {
  job->stop.request_stop();       // without the lock: a callback of the stop token may take it
  std::function<void()> dropped;  // freed without the lock, too
  Lock lock(mutex_);
  if (!Withdraw(job)) return true;
  dropped = std::move(job->work);
  lock.unlock();
  return false;
}

void Scheduler::End(std::span<const Handle> jobs) {
  for (const Handle& job : jobs) Stop(job);
  Lock lock(mutex_);
  ended_.wait(lock, [&] {
    return std::all_of(jobs.begin(), jobs.end(),
                       [](const Handle& job) { return job->ended.load(); });
  });
}

// A thread of the pool may be idle, else another one starts, up to the limit.
void Scheduler::StartThreads(Pool p, size_t wanted) {
  std::vector<std::jthread>& pool = pools_[p];
  const size_t most = std::min<size_t>(threads_, pool.size() + wanted - std::min(wanted, idle_[p]));
  try {
    while (pool.size() < most) pool.emplace_back([this, p] { Work(p); });
  } catch (const std::exception&) {
    // The limit of threads or memory is reached (of a container, say). Those that are there do the
    // work.
  }
}

void Scheduler::WakeThreads(Pool pool, size_t wanted) {
  for (size_t count = std::min(wanted, idle_[pool]); count > 0; --count) {
    --idle_[pool];
    ++woken_[pool];
    work_[pool].notify_one();
  }
}

void Scheduler::OfferJobs(Pool pool, size_t count) {
  offers_[pool] = true;
  WakeThreads(pool, count);
}

void Scheduler::StartOwnThread(const Handle& job, Lock& lock) {
  job->begun = true;
  try {
    own_threads_.push_back({job, std::jthread([this, job] {
                              if (PoolOf(job->urgency) == kBehind) LetOthersFirst();
                              Lock own(mutex_);
                              Run(job, own);
                            })});
  } catch (const std::system_error&) {
    Run(job, lock);
  }
}

std::vector<Scheduler::OwnThread> Scheduler::TakeEndedThreads() {
  const auto ended =
      std::partition(own_threads_.begin(), own_threads_.end(),
                     [](const OwnThread& thread) { return !thread.job->ended.load(); });
  std::vector<OwnThread> out(std::make_move_iterator(ended),
                             std::make_move_iterator(own_threads_.end()));
  own_threads_.erase(ended, own_threads_.end());
  return out;
}

Scheduler::Handle Scheduler::NextJob(Urgency urgency) {
  if (urgency == Urgency::kRest &&
      (Count(Urgency::kFirst, false) > 0 || Count(Urgency::kRest, true) >= kMostOfRest))
    return nullptr;
  const auto next = std::find_if(jobs_.begin(), jobs_.end(), [&](const Handle& job) {
    return job->urgency == urgency && !job->begun;
  });
  if (next == jobs_.end()) return nullptr;
  (*next)->begun = true;
  return *next;
}

// Runs a job that has begun, without the lock.
void Scheduler::Run(const Handle& job, Lock& lock) {
  lock.unlock();
  {
    const JobScope scope(this, job->stop.get_token(), job->urgency);
    CatchStopped([&] { job->work(); });
  }
  job->work = nullptr;  // what it holds is freed here
  lock.lock();
  std::erase(jobs_, job);
  job->ended = true;
  ended_.notify_all();
  if (job->urgency == Urgency::kFirst) OfferJobs(kBehind, kMostOfRest);
  if (!wake_) return;
  lock.unlock();
  wake_();
  lock.lock();
}

bool Scheduler::RunOne() {
  Lock lock(mutex_);
  for (const Urgency urgency :
       {Urgency::kFirst, Urgency::kSoon, Urgency::kBlocking, Urgency::kRest}) {
    if (const Handle job = NextJob(urgency)) {
      Run(job, lock);
      return true;
    }
  }
  return false;
}

void Scheduler::Work(Pool pool) {
  LeaveInterruptsToOthers();
  if (pool == kBehind) LetOthersFirst();
  Lock lock(mutex_);
  for (;;) {
    const Handle job = NextJob(pool == kBehind ? Urgency::kRest : Urgency::kFirst);
    if (job == nullptr) offers_[pool] = false;
    if (job != nullptr) {
      Run(job, lock);
    } else if (Loop* loop = FindLoop(pool)) {
      Join(*loop, lock, offers_[pool]);
    } else if (ending_) {
      return;
    } else {
      ++idle_[pool];
      work_[pool].wait(lock, [&] { return woken_[pool] > 0 || ending_; });
      if (woken_[pool] > 0) --woken_[pool];
    }
  }
}

// The oldest loop has the largest items: those inside of it are its parts.
Scheduler::Loop* Scheduler::FindLoop(Pool pool) const {
  const auto found = std::find_if(loops_.begin(), loops_.end(), [pool](const Loop* loop) {
    return PoolOf(loop->of.urgency) == pool && loop->Open();
  });
  return found != loops_.end() ? *found : nullptr;
}

Scheduler::Loop* Scheduler::FindLoopWithin(const WorkScope& scope) const {
  const auto found = std::find_if(loops_.begin(), loops_.end(), [&scope](const Loop* loop) {
    return loop->scope.IsWithin(&scope) && loop->Open();
  });
  return found != loops_.end() ? *found : nullptr;
}

// `leave` becomes true when the thread is to leave the loop at the end of an item.
void Scheduler::Join(Loop& loop, Lock& lock, const std::atomic<bool>& leave) {
  ++loop.threads;
  lock.unlock();
  loop.Work(leave);
  lock.lock();
  --loop.threads;
  if (helpers_waiting_ > 0) waiting_.notify_all();
}

void Scheduler::RunLoop(size_t n, const std::function<void(size_t)>& fn, unsigned threads) {
  const JobScope::State& of = JobScope::Current();
  Loop loop(n, fn, std::min<size_t>(n, threads > 0 ? threads : std::max(threads_, 1u)), of);
  {
    Lock lock(mutex_);
    loops_.push_back(&loop);
    StartThreads(PoolOf(of.urgency), loop.most - 1);
    WakeThreads(PoolOf(of.urgency), loop.most - 1);
    if (helpers_waiting_ > 0) waiting_.notify_all();
  }
  loop.Work(kStay);
  Lock lock(mutex_);
  while (loop.threads > 1) {
    if (Loop* inner = FindLoopWithin(loop.scope)) {
      Join(*inner, lock, kStay);
      continue;
    }
    ++helpers_waiting_;
    waiting_.wait(lock);
    --helpers_waiting_;
  }
  std::erase(loops_, &loop);
  lock.unlock();
  if (loop.error) std::rethrow_exception(loop.error);
}

void Scheduler::HelpUntil(const WorkScope& scope, const std::function<bool()>& done) {
  const std::stop_token stop = CurrentStopToken();
  const std::stop_callback on_stop(stop, [this] { NotifyWaiting(); });
  Lock lock(mutex_);
  while (!done()) {
    if (stop.stop_requested()) throw Stopped();
    if (Loop* inner = FindLoopWithin(scope)) {
      Join(*inner, lock, kStay);
      continue;
    }
    ++helpers_waiting_;
    waiting_.wait(lock);
    --helpers_waiting_;
  }
}

void Scheduler::NotifyWaiting() {
  std::lock_guard lock(mutex_);
  if (helpers_waiting_ > 0) waiting_.notify_all();
}

void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads) {
  Scheduler* const scheduler = JobScope::Current().scheduler;
  if (n > 1 && threads != 1 && scheduler != nullptr) {
    scheduler->RunLoop(n, fn, threads);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    CheckStop();
    fn(i);
  }
}

}  // namespace stepscope
