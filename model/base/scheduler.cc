#include "model/base/scheduler.h"

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

// On Linux this sets the calling thread only.
void LetOthersFirst() {
#ifdef __linux__
  if (getpriority(PRIO_PROCESS, 0) < kBehindFrames) setpriority(PRIO_PROCESS, 0, kBehindFrames);
#endif
}

size_t PoolOf(Urgency urgency) { return urgency == Urgency::kRest ? 1 : 0; }

}  // namespace

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

  void Work() {
    const JobScope inside({of.scheduler, of.stop, of.urgency, &scope});
    try {
      for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) {
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
  work_.notify_all();
  blocking_.clear();
  for (std::vector<std::jthread>& pool : pool_) pool.clear();
}

size_t Scheduler::Count(Urgency urgency, bool begun_only) const {
  return static_cast<size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const Handle& job) {
        return job->urgency == urgency && (job->begun || !begun_only);
      }));
}

size_t Scheduler::running() const {
  std::lock_guard lock(mutex_);
  return jobs_.size();
}

Scheduler::Handle Scheduler::Start(Urgency urgency, std::function<void()> work) {
  auto job = std::make_shared<Job>(urgency, std::move(work));
  std::vector<BlockingThread> ended;  // joined last, without the lock
  Lock lock(mutex_);
  jobs_.push_back(job);
  if (threads_ == 0) return job;  // RunOne
  if (urgency == Urgency::kBlocking) {
    ended = TakeEndedBlocking();
    StartBlocking(job, lock);
    return job;
  }
  StartThreads(urgency, 1);
  if (pool_[PoolOf(urgency)].empty()) {
    job->begun = true;
    Run(job, lock);
  } else {
    work_.notify_all();
  }
  return job;
}

void Scheduler::End(std::span<const Handle> jobs) {
  // Without the lock: a callback of a stop token may take it.
  for (const Handle& job : jobs) job->stop.request_stop();
  Lock lock(mutex_);
  for (const Handle& job : jobs) {
    if (job->begun) continue;
    std::erase(jobs_, job);
    job->ended = true;
  }
  ended_.wait(lock, [&] {
    return std::all_of(jobs.begin(), jobs.end(), [](const Handle& job) { return job->ended.load(); });
  });
}

// A thread of the pool may be idle, else another one starts, up to the limit.
void Scheduler::StartThreads(Urgency urgency, size_t wanted) {
  const size_t p = PoolOf(urgency);
  std::vector<std::jthread>& pool = pool_[p];
  const size_t most = std::min<size_t>(threads_, pool.size() + wanted - std::min(wanted, idle_[p]));
  try {
    while (pool.size() < most) pool.emplace_back([this, urgency] { Work(urgency); });
  } catch (const std::exception&) {
    // The limit of threads or memory is reached (of a container, say). Those that are there do the
    // work.
  }
}

void Scheduler::StartBlocking(const Handle& job, Lock& lock) {
  job->begun = true;
  try {
    blocking_.push_back({job, std::jthread([this, job] {
                           Lock own(mutex_);
                           Run(job, own);
                         })});
  } catch (const std::system_error&) {
    Run(job, lock);
  }
}

std::vector<Scheduler::BlockingThread> Scheduler::TakeEndedBlocking() {
  const auto ended = std::partition(blocking_.begin(), blocking_.end(), [this](const auto& thread) {
    return std::find(jobs_.begin(), jobs_.end(), thread.job) != jobs_.end();
  });
  std::vector<BlockingThread> out(std::make_move_iterator(ended),
                                  std::make_move_iterator(blocking_.end()));
  blocking_.erase(ended, blocking_.end());
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
  work_.notify_all();  // jobs of kRest may begin
  if (!wake_) return;
  lock.unlock();
  wake_();
  lock.lock();
}

bool Scheduler::RunOne() {
  Lock lock(mutex_);
  for (const Urgency urgency : {Urgency::kFirst, Urgency::kBlocking, Urgency::kRest}) {
    if (const Handle job = NextJob(urgency)) {
      Run(job, lock);
      return true;
    }
  }
  return false;
}

void Scheduler::Work(Urgency urgency) {
  if (urgency == Urgency::kRest) LetOthersFirst();
  Lock lock(mutex_);
  for (;;) {
    if (Loop* loop = FindLoop(urgency, nullptr)) {
      Join(*loop, lock);
    } else if (const Handle job = NextJob(urgency)) {
      Run(job, lock);
    } else if (ending_) {
      return;
    } else {
      ++idle_[PoolOf(urgency)];
      work_.wait(lock);
      --idle_[PoolOf(urgency)];
    }
  }
}

// The oldest loop has the largest items: those inside of it are its parts.
Scheduler::Loop* Scheduler::FindLoop(Urgency urgency, const WorkScope* within) const {
  for (Loop* loop : loops_) {
    const bool mine = within != nullptr ? loop->scope.IsWithin(within)
                                        : PoolOf(loop->of.urgency) == PoolOf(urgency);
    if (mine && loop->Open()) return loop;
  }
  return nullptr;
}

void Scheduler::Join(Loop& loop, Lock& lock) {
  ++loop.threads;
  lock.unlock();
  loop.Work();
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
    StartThreads(of.urgency, loop.most - 1);
    if (idle_[0] + idle_[1] > 0) work_.notify_all();
    if (helpers_waiting_ > 0) waiting_.notify_all();
  }
  loop.Work();
  Lock lock(mutex_);
  while (loop.threads > 1) {
    if (Loop* inner = FindLoop(of.urgency, &loop.scope)) {
      Join(*inner, lock);
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
    if (Loop* inner = FindLoop(Urgency::kFirst, &scope)) {
      Join(*inner, lock);
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

}  // namespace stepscope
