#include "model/jobs/latest_job.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
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

void WaitUntilStopped() {
  while (!StopRequested()) std::this_thread::yield();
}

// Each job has a thread of its own.
struct Jobs {
  explicit Jobs(std::function<void()> wake = {}) : scheduler(2, std::move(wake)) {}
  Scheduler scheduler;
  JobQueue queue{scheduler, Urgency::kBlocking};
};

TEST_CASE("a job delivers its result once, wakes the owner and shows how far it is") {
  std::atomic<int> woken{0};
  LatestJob<int> job;
  {
    Jobs jobs([&] { ++woken; });
    CHECK_FALSE(job.active());
    CHECK(job.progress() == nullptr);
    std::binary_semaphore go(0);
    job.Start(jobs.queue, [&](Progress& progress) {
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
  Jobs jobs;
  LatestJob<int> job;
  std::atomic<bool> stopped{false};
  job.Start(jobs.queue, [&](Progress&) {
    WaitUntilStopped();
    stopped = true;
    return 1;
  });
  job.Start(jobs.queue, [](Progress&) { return 2; });
  CHECK(WaitFor(job) == 2);
  while (jobs.queue.running() > 0) std::this_thread::yield();
  CHECK(stopped);
  CHECK_FALSE(job.Take().has_value());
}

TEST_CASE("nobody waits for a job that never looks whether it is to stop") {
  std::binary_semaphore go(0);
  Jobs jobs;
  const auto deaf = [&](Progress&) {
    go.acquire();
    return 1;
  };
  const auto begin = Clock::now();
  {
    LatestJob<int> gone;
    gone.Start(jobs.queue, deaf);
  }
  LatestJob<int> job;
  job.Start(jobs.queue, deaf);
  job.Start(jobs.queue, [](Progress&) { return 2; });
  CHECK(WaitFor(job) == 2);
  job.Start(jobs.queue, deaf);
  job.Stop();
  CHECK_FALSE(job.active());
  CHECK(Clock::now() - begin < std::chrono::seconds(20));  // the job would never end
  CHECK(jobs.queue.stopping() == 3);
  go.release();
  go.release();
  go.release();
  while (jobs.queue.running() > 0) std::this_thread::yield();
  CHECK(jobs.queue.stopping() == 0);
}

TEST_CASE("requests that come faster than old ones end do not pile up") {
  std::counting_semaphore<> go(0);
  Jobs jobs;
  LatestJob<int> job;
  constexpr int kRequests = 100;
  for (int i = 0; i < kRequests; ++i) {
    job.Start(jobs.queue, [&go, i](Progress&) {
      go.acquire();
      return i;
    });
  }
  CHECK(jobs.queue.running() == LatestJob<int>::kMaxStopping);
  CHECK(job.active());
  CHECK(job.progress() == nullptr);  // it waits
  go.release(kRequests);
  CHECK(WaitFor(job) == kRequests - 1);
}

TEST_CASE("the end of a queue stops its jobs and waits for them") {
  std::atomic<int> ended{0};
  std::latch started(3);
  LatestJob<int> three[3];
  {
    Jobs jobs;
    for (LatestJob<int>& job : three) {
      job.Start(jobs.queue, [&](Progress&) {
        started.count_down();
        WaitUntilStopped();
        ++ended;
        return 1;
      });
    }
    started.wait();
  }
  CHECK(ended == 3);
  for (LatestJob<int>& job : three) CHECK_FALSE(job.Take().has_value());
}

TEST_CASE("a job without memory ends without a result, and the next one has one") {
  Jobs jobs;
  LatestJob<int> job;
  job.Start(jobs.queue, [](Progress&) -> int { throw std::bad_alloc(); });
  while (!job.done()) std::this_thread::yield();
  CHECK_FALSE(job.Take().has_value());
  CHECK(job.failed());
  CHECK_FALSE(job.active());
  job.Start(jobs.queue, [](Progress&) { return 3; });
  CHECK(WaitFor(job) == 3);
  CHECK_FALSE(job.failed());
}

TEST_CASE("a job that moves to another owner goes on") {
  Jobs jobs;
  std::binary_semaphore go(0);
  LatestJob<std::string> first, second;
  first.Start(jobs.queue, [&](Progress&) {
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
  Jobs jobs;
  LatestJob<int> job;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  job.Start(jobs.queue, [held = std::move(held)](Progress&) { return *held; });
  CHECK(WaitFor(job) == 1);
  CHECK(watch.expired());
}

TEST_CASE("starting, taking and stopping at any moment loses and repeats nothing") {
  std::atomic<int> woken{0};
  uint64_t taken = 0;
  {
    Jobs jobs([&] { ++woken; });
    LatestJob<int> job;
    int last = -1;
    for (int i = 0; i < 2000; ++i) {
      job.Start(jobs.queue, [i](Progress& progress) {
        for (int n = 0; n < i % 50 && !StopRequested(); ++n) ++progress.events;
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
    job.Start(jobs.queue, [](Progress&) { return 2000; });
    CHECK(WaitFor(job) == 2000);
  }
  CHECK(taken < 2000);
  CHECK(woken > 0);
}

TEST_CASE("a request that has not begun when it is stopped never does, and leaves nothing") {
  Scheduler scheduler(0);
  JobQueue queue(scheduler, Urgency::kFirst);
  LatestJob<int> job;
  for (int i = 0; i < 10; ++i) job.Start(queue, [i](Progress&) { return i; });
  CHECK(scheduler.running() == 1);
  CHECK(queue.stopping() == 0);
  CHECK(scheduler.RunOne());
  CHECK(job.Take() == 9);
  job.Start(queue, [](Progress&) -> int {
    FAIL("it was stopped");
    return 0;
  });
  job.Stop();
  CHECK(queue.running() == 0);
  CHECK_FALSE(scheduler.RunOne());
}

TEST_CASE("a job that throws Stopped has no result, and the owner is done with it") {
  Jobs jobs;
  LatestJob<int> job;
  std::binary_semaphore begun(0);
  job.Start(jobs.queue, [&](Progress&) {
    begun.release();
    for (;; std::this_thread::yield()) CheckStop();
    return 1;
  });
  begun.acquire();
  job.Stop();
  while (jobs.queue.running() > 0) std::this_thread::yield();
  CHECK_FALSE(job.Take().has_value());
  CHECK_FALSE(job.active());
}

}  // namespace
}  // namespace stepscope
