#include "model/base/latest_job.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

template <typename T>
T WaitFor(LatestJob<T>& job) {
  for (;;) {
    if (std::optional<T> result = job.Take()) return std::move(*result);
    std::this_thread::yield();
  }
}

void WaitUntilStopped(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::yield();
}

TEST_CASE("a job delivers its result once, wakes the owner and shows how far it is") {
  std::atomic<int> woken{0};
  LatestJob<int> job;
  {
    JobThreads threads([&] { ++woken; });
    CHECK_FALSE(job.active());
    CHECK(job.progress() == nullptr);
    std::binary_semaphore go(0);
    job.Start(threads, [&](const std::stop_token&, Progress& progress) {
      progress.bytes_done = 5;
      go.acquire();
      return 42;
    });
    CHECK(job.active());
    CHECK(job.busy());
    CHECK_FALSE(job.Take().has_value());
    while (job.progress()->bytes_done != 5) std::this_thread::yield();
    go.release();
    CHECK(WaitFor(job) == 42);
    CHECK_FALSE(job.active());
    CHECK_FALSE(job.Take().has_value());
  }
  CHECK(woken == 1);
}

TEST_CASE("the newest request wins, the older one is told to stop and its result is dropped") {
  JobThreads threads;
  LatestJob<int> job;
  std::atomic<bool> stopped{false};
  job.Start(threads, [&](const std::stop_token& stop, Progress&) {
    WaitUntilStopped(stop);
    stopped = true;
    return 1;
  });
  job.Start(threads, [](const std::stop_token&, Progress&) { return 2; });
  CHECK(WaitFor(job) == 2);
  while (threads.running() > 0) std::this_thread::yield();
  CHECK(stopped);
  CHECK_FALSE(job.Take().has_value());
}

TEST_CASE("nobody waits for a job that ignores its stop token") {
  std::binary_semaphore go(0);
  JobThreads threads;
  const auto deaf = [&](const std::stop_token&, Progress&) {
    go.acquire();
    return 1;
  };
  const auto begin = Clock::now();
  {
    LatestJob<int> gone;
    gone.Start(threads, deaf);
  }
  LatestJob<int> job;
  job.Start(threads, deaf);
  job.Start(threads, [](const std::stop_token&, Progress&) { return 2; });
  CHECK(WaitFor(job) == 2);
  job.Start(threads, deaf);
  job.Stop();
  CHECK_FALSE(job.active());
  CHECK(Clock::now() - begin < std::chrono::seconds(20));  // the job would never end
  CHECK(threads.stopping() == 3);
  go.release();
  go.release();
  go.release();
  while (threads.running() > 0) std::this_thread::yield();
  CHECK(threads.stopping() == 0);
}

TEST_CASE("requests that come faster than old ones end do not pile up") {
  std::counting_semaphore<> go(0);
  JobThreads threads;
  LatestJob<int> job;
  constexpr int kRequests = 100;
  for (int i = 0; i < kRequests; ++i) {
    job.Start(threads, [&go, i](const std::stop_token&, Progress&) {
      go.acquire();
      return i;
    });
  }
  CHECK(threads.running() == LatestJob<int>::kMaxStopping);
  CHECK(job.active());
  CHECK(job.progress() == nullptr);  // it waits
  go.release(kRequests);
  CHECK(WaitFor(job) == kRequests - 1);
}

TEST_CASE("the end of JobThreads stops and joins what still runs") {
  std::atomic<int> ended{0};
  std::latch started(3);
  LatestJob<int> jobs[3];
  {
    JobThreads threads;
    for (LatestJob<int>& job : jobs) {
      job.Start(threads, [&](const std::stop_token& stop, Progress&) {
        started.count_down();
        WaitUntilStopped(stop);
        ++ended;
        return 1;
      });
    }
    started.wait();
  }
  CHECK(ended == 3);
  for (LatestJob<int>& job : jobs) CHECK_FALSE(job.Take().has_value());
}

TEST_CASE("a job without memory ends without a result, and the next one has one") {
  JobThreads threads;
  LatestJob<int> job;
  job.Start(threads, [](const std::stop_token&, Progress&) -> int { throw std::bad_alloc(); });
  while (!job.done()) std::this_thread::yield();
  CHECK_FALSE(job.Take().has_value());
  CHECK(job.failed());
  CHECK_FALSE(job.active());
  job.Start(threads, [](const std::stop_token&, Progress&) { return 3; });
  CHECK(WaitFor(job) == 3);
  CHECK_FALSE(job.failed());
}

TEST_CASE("a job that moves to another owner goes on") {
  JobThreads threads;
  std::binary_semaphore go(0);
  LatestJob<std::string> first, second;
  first.Start(threads, [&](const std::stop_token&, Progress&) {
    go.acquire();
    return std::string("kept");
  });
  second = std::move(first);
  CHECK(second.active());
  CHECK(second.progress() != nullptr);
  go.release();
  CHECK(WaitFor(second) == "kept");
}

TEST_CASE("what a job holds is freed before its result can be taken") {
  JobThreads threads;
  LatestJob<int> job;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  job.Start(threads, [held = std::move(held)](const std::stop_token&, Progress&) { return *held; });
  CHECK(WaitFor(job) == 1);
  CHECK(watch.expired());
}

TEST_CASE("starting, taking and stopping at any moment loses and repeats nothing") {
  std::atomic<int> woken{0};
  uint64_t taken = 0;
  {
    JobThreads threads([&] { ++woken; });
    LatestJob<int> job;
    int last = -1;
    for (int i = 0; i < 2000; ++i) {
      job.Start(threads, [i](const std::stop_token& stop, Progress& progress) {
        for (int n = 0; n < i % 50 && !stop.stop_requested(); ++n) ++progress.events;
        return i;
      });
      if (i % 7 == 0) job.Stop();
      if (i % 11 == 0) {
        LatestJob<int> other = std::move(job);
        job = std::move(other);
      }
      for (int n = 0; n < i % 5; ++n) std::this_thread::yield();
      if (const std::optional<int> result = job.Take()) {
        REQUIRE(*result == i);
        REQUIRE(*result > last);
        last = *result;
        ++taken;
      }
    }
    job.Start(threads, [](const std::stop_token&, Progress&) { return 2000; });
    CHECK(WaitFor(job) == 2000);
  }
  CHECK(taken < 2000);
  CHECK(woken > 0);
}

#ifdef __linux__
TEST_CASE("Jobs behind frames, and the threads that they start, run after threads that draw") {
  const int own = getpriority(PRIO_PROCESS, 0);
  const auto priority_in = [](JobThreads::Priority priority) {
    JobThreads threads({}, priority);
    LatestJob<int> job;
    job.Start(threads, [](const std::stop_token&, Progress&) {
      int inner = 0;
      std::thread([&] { inner = getpriority(PRIO_PROCESS, 0); }).join();
      return inner;
    });
    return WaitFor(job);
  };
  CHECK(priority_in(JobThreads::Priority::kNormal) == own);
  CHECK(priority_in(JobThreads::Priority::kBehindFrames) == std::max(own, 10));
  CHECK(getpriority(PRIO_PROCESS, 0) == own);
}
#endif

}  // namespace
}  // namespace stepscope
