#include "model/base/task.h"

#include <algorithm>
#include <array>
#include <exception>

namespace stepscope {
namespace {

constexpr unsigned kMaxWorkers = 16;   // with more, memory bandwidth is the limit
constexpr uint64_t kFewEvents = 4096;  // they take some 50 us, as long as a thread takes to start

// One call of ParallelFor. A thread takes so long to start that starting all of them would be a
// large part of the caller's work, so each thread starts two others, as long as there are items.
class Loop {
 public:
  Loop(size_t n, const std::function<void(size_t)>& fn, size_t threads)
      : n_(n), fn_(fn), threads_(std::min(threads, n)) {}

  void Run() {
    RunOn(0);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void RunOn(size_t thread) {
    std::array<std::jthread, 2> started;  // joined at the end
    try {
      for (size_t i = 0; i < started.size(); ++i) {
        const size_t other = 2 * thread + 1 + i;
        if (other < threads_ && next_.load(std::memory_order_relaxed) < n_)
          started[i] = std::jthread([this, other] { RunOn(other); });
      }
    } catch (const std::exception&) {
      // The limit of threads or memory is reached (of a container, say). Those that started do the
      // work.
    }
    Work();
  }

  void Work() {
    try {
      for (size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < n_;) fn_(i);
    } catch (...) {
      next_.store(n_, std::memory_order_relaxed);
      std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  const size_t n_;
  const std::function<void(size_t)>& fn_;
  const size_t threads_;
  std::atomic<size_t> next_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;  // the first one; it must reach the caller, not end the process
};

}  // namespace

unsigned WorkerCount() {
  // The C library reads a file of the kernel for each answer, so this one is kept.
  static const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxWorkers);
  return count;
}

unsigned ThreadsFor(uint64_t events) { return events < kFewEvents ? 1 : 0; }

void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads) {
  if (threads == 0) threads = WorkerCount();
  if (std::min<size_t>(threads, n) <= 1) {
    for (size_t i = 0; i < n; ++i) fn(i);
    return;
  }
  Loop(n, fn, threads).Run();
}

}  // namespace stepscope
