#include "model/base/task.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <vector>

namespace stepscope {
namespace {

constexpr unsigned kMaxWorkers = 16;   // with more, memory bandwidth is the limit
constexpr uint64_t kFewEvents = 4096;  // they take some 50 us, as long as a thread takes to start

}  // namespace

unsigned WorkerCount() {
  // The C library reads a file of the kernel for each answer, so this one is kept.
  static const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxWorkers);
  return count;
}

unsigned ThreadsFor(uint64_t events) { return events < kFewEvents ? 1 : 0; }

void ParallelFor(size_t n, const std::function<void(size_t)>& fn, unsigned threads) {
  if (threads == 0) threads = WorkerCount();
  const size_t helpers = std::min<size_t>(threads, n) - (n ? 1 : 0);
  if (helpers == 0) {
    for (size_t i = 0; i < n; ++i) fn(i);
    return;
  }
  std::atomic<size_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;  // the first one; it must reach the caller, not end the process
  const auto work = [&] {
    try {
      for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) fn(i);
    } catch (...) {
      next.store(n, std::memory_order_relaxed);
      std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(helpers);
    try {
      for (size_t t = 0; t < helpers; ++t) pool.emplace_back(work);
    } catch (const std::system_error&) {
      // The limit of threads is reached (of a container, say). Those that started do the work.
    }
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace stepscope
