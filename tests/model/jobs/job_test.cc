#include "model/jobs/job.h"

#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "model/jobs/scheduler.h"

namespace stepscope {
namespace {

TEST_CASE("every index is visited once, whatever the number of threads") {
  for (const unsigned of_scheduler : {0u, 1u, 4u}) {
    Scheduler scheduler(of_scheduler);
    const JobScope job(&scheduler);
    for (const unsigned threads : {0u, 1u, 2u, 7u, 64u}) {
      for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{1000}}) {
        std::vector<std::atomic<int>> visits(n);
        ParallelFor(
            n, [&](size_t i) { ++visits[i]; }, threads);
        for (size_t i = 0; i < n; ++i) REQUIRE(visits[i] == 1);
      }
    }
  }
  CHECK(WorkerCount() >= 1);
  CHECK(WorkerCount() <= 16);
}

TEST_CASE("outside of a job loops run on the calling thread, and nothing stops") {
  std::set<std::thread::id> threads;
  std::thread([&] {
    ParallelFor(100, [&](size_t) { threads.insert(std::this_thread::get_id()); });
    CheckStop();
    CHECK_FALSE(CurrentStopToken().stop_possible());
  }).join();
  CHECK(threads.size() == 1);
}

TEST_CASE("few events start no threads") {
  CHECK(ThreadsFor(0) == 1);
  CHECK(ThreadsFor(100) == 1);
  CHECK(ThreadsFor(1'000'000) == 0);
}

TEST_CASE("what a worker throws reaches the caller, who skips the rest") {
  Scheduler scheduler(4);
  const JobScope job(&scheduler);
  std::atomic<int> calls{0};
  const auto run = [&] {
    ParallelFor(1'000'000, [&](size_t i) {
      ++calls;
      if (i == 10) throw std::bad_alloc();
    });
  };
  CHECK_THROWS_AS(run(), std::bad_alloc);
  CHECK(calls >= 11);
  CHECK(calls < 1'000'000);
}

TEST_CASE("a job that is told to stop throws Stopped, which its border catches") {
  std::stop_source stop;
  const JobScope job(nullptr, stop.get_token());
  CHECK_FALSE(StopRequested());
  CHECK(CatchStopped([] { CheckStop(); }));
  stop.request_stop();
  CHECK(StopRequested());
  CHECK(CurrentStopToken().stop_requested());
  bool passed = false;  // code that catches errors lets Stopped pass
  CHECK_FALSE(CatchStopped([&] {
    try {
      CheckStop();
    } catch (const std::exception&) {
      passed = true;
    }
  }));
  CHECK_FALSE(passed);
  CHECK_THROWS_AS(CatchStopped([] { throw std::runtime_error("no stop"); }), std::runtime_error);
}

TEST_CASE("a loop of a job that is told to stop ends between two items") {
  for (const unsigned threads : {1u, 4u}) {
    Scheduler scheduler(4);
    std::stop_source stop;
    const JobScope job(&scheduler, stop.get_token());
    std::atomic<int> calls{0};
    const auto run = [&] {
      ParallelFor(
          100'000,
          [&](size_t i) {
            ++calls;
            if (i == 5) stop.request_stop();
          },
          threads);
    };
    CHECK_THROWS_AS(run(), Stopped);
    CHECK(calls >= 6);
    CHECK(calls < 100'000);
    if (threads == 1) CHECK(calls == 6);
    CHECK_THROWS_AS(ParallelFor(1, [](size_t) {}), Stopped);
  }
}

TEST_CASE("scopes nest, and the items of a loop belong to its job") {
  Scheduler scheduler(4);
  std::stop_source outer, inner;
  const JobScope job(&scheduler, outer.get_token(), Urgency::kRest);
  {
    const JobScope part(&scheduler, inner.get_token());
    CHECK(CurrentStopToken() == inner.get_token());
    CHECK(JobScope::Current().urgency == Urgency::kFirst);
  }
  CHECK(CurrentStopToken() == outer.get_token());
  std::atomic<int> own{0};
  const WorkScope* const here = JobScope::Current().within;
  ParallelFor(1000, [&](size_t) {
    const JobScope::State& at = JobScope::Current();
    own += at.stop == outer.get_token() && at.urgency == Urgency::kRest &&
           at.scheduler == &scheduler && at.within->IsWithin(here);
  });
  CHECK(own == 1000);
  CHECK(JobScope::Current().within == here);
}

TEST_CASE("objects that are reused are at most as many as threads") {
  Scheduler scheduler(4);
  const JobScope job(&scheduler);
  Reused<std::vector<int>> pool;
  std::atomic<int> made{0};
  ParallelFor(1000, [&](size_t) {
    auto object = pool.Take();
    made += object->empty();
    object->push_back(1);
    pool.Give(std::move(object));
  });
  CHECK(made >= 1);
  CHECK(made <= 4);
}

}  // namespace
}  // namespace stepscope
