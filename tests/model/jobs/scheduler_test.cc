#include "model/jobs/scheduler.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLong = std::chrono::seconds(60);  // by then a test has failed
constexpr auto kAMoment = std::chrono::milliseconds(20);

template <typename Condition>
bool Comes(Condition condition) {
  for (const auto end = Clock::now() + kLong; Clock::now() < end; std::this_thread::yield())
    if (condition()) return true;
  return false;
}

bool HasEnded(const Scheduler::Handle& job) {
  return Comes([&] { return job->ended.load(); });
}

void RunUntilStopped() {
  while (!StopRequested()) std::this_thread::yield();
}

TEST_CASE("a loop is done by all threads of the scheduler at once") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    Scheduler scheduler(threads);
    const JobScope job(&scheduler);
    std::atomic<unsigned> met{0}, alone{0};
    ParallelFor(threads, [&](size_t) {
      ++met;
      alone += !Comes([&] { return met == threads; });
    });
    CHECK(alone == 0);
  }
}

TEST_CASE("loops nest, and a thread that waits helps with the loops inside of its own") {
  Scheduler scheduler(2);
  const JobScope job(&scheduler);
  std::atomic<int> calls{0}, alone{0};
  ParallelFor(6, [&](size_t) {
    ParallelFor(5, [&](size_t) { ParallelFor(7, [&](size_t) { ++calls; }); });
  });
  CHECK(calls == 6 * 5 * 7);
  // The thread that did item 0 waits for item 1, whose two parts wait for each other.
  ParallelFor(2, [&](size_t i) {
    if (i == 0) return;
    std::atomic<int> met{0};
    ParallelFor(2, [&](size_t) {
      ++met;
      alone += !Comes([&] { return met == 2; });
    });
  });
  CHECK(alone == 0);
}

TEST_CASE("jobs run with their urgency, and `wake` follows the end of each") {
  std::atomic<int> woken{0};
  Scheduler scheduler(2, [&] { ++woken; });
  for (const Urgency urgency :
       {Urgency::kFirst, Urgency::kSoon, Urgency::kRest, Urgency::kBlocking}) {
    bool right = false;
    const auto job = scheduler.Start(urgency, [&] {
      right = JobScope::Current().urgency == urgency && JobScope::Current().scheduler == &scheduler;
    });
    REQUIRE(HasEnded(job));
    CHECK(right);
  }
  CHECK(Comes([&] { return woken == 4; }));
  CHECK(scheduler.running() == 0);
}

TEST_CASE("jobs of kRest begin when no job of kFirst is left, the others at once") {
  Scheduler scheduler(2);
  std::binary_semaphore go(0);
  const auto first = scheduler.Start(Urgency::kFirst, [&] { go.acquire(); });
  std::atomic<bool> first_ended_before{false};
  const auto rest =
      scheduler.Start(Urgency::kRest, [&] { first_ended_before = first->ended.load(); });
  CHECK(HasEnded(scheduler.Start(Urgency::kSoon, [] {})));
  CHECK(HasEnded(scheduler.Start(Urgency::kBlocking, [] {})));
  CHECK(HasEnded(scheduler.Start(Urgency::kFirst, [] {})));
  std::this_thread::sleep_for(kAMoment);
  CHECK_FALSE(rest->ended);
  go.release();
  CHECK(HasEnded(rest));
  CHECK(first_ended_before);
}

TEST_CASE("what is stopped of kFirst before it has begun holds back no job of kRest") {
  Scheduler scheduler(1);
  std::binary_semaphore go(0);
  std::atomic<bool> begun{false};
  const auto running = scheduler.Start(Urgency::kFirst, [&] {
    begun = true;
    go.acquire();
  });
  REQUIRE(Comes([&] { return begun.load(); }));
  const auto waiting = scheduler.Start(Urgency::kFirst, [] { FAIL("it was stopped"); });
  const auto rest = scheduler.Start(Urgency::kRest, [] {});
  CHECK_FALSE(scheduler.Stop(waiting));
  CHECK(waiting->ended);
  CHECK(scheduler.Stop(running));
  CHECK_FALSE(running->ended);
  go.release();
  CHECK(HasEnded(rest));
}

TEST_CASE("at most two jobs of kRest run at a time") {
  Scheduler scheduler(4);
  std::counting_semaphore<> go(0);
  std::atomic<int> now{0}, most{0};
  std::vector<Scheduler::Handle> jobs;
  for (int i = 0; i < 6; ++i) {
    jobs.push_back(scheduler.Start(Urgency::kRest, [&] {
      const int running = ++now;
      for (int seen = most; seen < running && !most.compare_exchange_weak(seen, running);) {
      }
      go.acquire();
      --now;
    }));
  }
  CHECK(Comes([&] { return now == 2; }));
  std::this_thread::sleep_for(kAMoment);
  go.release(6);
  for (const auto& job : jobs) CHECK(HasEnded(job));
  CHECK(most == 2);
}

TEST_CASE("jobs that wait for something outside take no thread from others") {
  Scheduler scheduler(1);
  std::counting_semaphore<> go(0);
  std::latch all(8);
  std::vector<Scheduler::Handle> jobs;
  for (int i = 0; i < 8; ++i) {
    jobs.push_back(scheduler.Start(i % 2 == 0 ? Urgency::kBlocking : Urgency::kSoon, [&] {
      all.count_down();
      go.acquire();
    }));
  }
  all.wait();
  CHECK(HasEnded(scheduler.Start(Urgency::kFirst, [] {})));
  CHECK(HasEnded(scheduler.Start(Urgency::kRest, [] {})));
  CHECK(scheduler.running() == 8);
  go.release(8);
  scheduler.End(jobs);
  CHECK(scheduler.running() == 0);
}

TEST_CASE("a thread that helps with a loop leaves it for a job") {
  Scheduler scheduler(2);
  std::atomic<bool> asked{false}, go_on{true};
  const auto loop = scheduler.Start(Urgency::kFirst, [&] {
    ParallelFor(1'000'000'000, [&](size_t) {
      asked = true;
      if (!go_on) throw Stopped();
    });
  });
  REQUIRE(Comes([&] { return asked.load(); }));
  std::this_thread::sleep_for(kAMoment);  // by now both threads are in the loop
  CHECK(HasEnded(scheduler.Start(Urgency::kFirst, [] {})));
  CHECK_FALSE(loop->ended);
  go_on = false;
  CHECK(HasEnded(loop));
}

TEST_CASE("without threads jobs wait for RunOne, the urgent ones first") {
  int woken = 0;
  Scheduler scheduler(0, [&] { ++woken; });
  std::string order;
  scheduler.Start(Urgency::kRest, [&] { order += "rest "; });
  scheduler.Start(Urgency::kBlocking, [&] { order += "blocking "; });
  scheduler.Start(Urgency::kSoon, [&] { order += "soon "; });
  scheduler.Start(Urgency::kFirst, [&] {
    ParallelFor(3, [&](size_t i) { order += std::to_string(i) + " "; });
    order += "first ";
  });
  CHECK(scheduler.running() == 4);
  while (scheduler.RunOne()) {
  }
  CHECK(order == "0 1 2 first soon blocking rest ");
  CHECK(woken == 4);
  CHECK_FALSE(scheduler.RunOne());
  const auto dropped = scheduler.Start(Urgency::kFirst, [] { FAIL("nobody runs it"); });
  scheduler.End(std::vector{dropped});
  CHECK(dropped->ended);
  CHECK_FALSE(scheduler.RunOne());
}

TEST_CASE("End tells jobs to stop and waits for those that have begun") {
  Scheduler scheduler(1);
  std::atomic<bool> begun{false}, ended{false};
  const auto running = scheduler.Start(Urgency::kFirst, [&] {
    begun = true;
    RunUntilStopped();
    std::this_thread::sleep_for(kAMoment);
    ended = true;
  });
  const auto waiting = scheduler.Start(Urgency::kFirst, [] { FAIL("it never begins"); });
  REQUIRE(Comes([&] { return begun.load(); }));
  scheduler.End(std::vector{running, waiting});
  CHECK(ended);
  CHECK(waiting->ended);
  CHECK(HasEnded(scheduler.Start(Urgency::kFirst, [] {})));
}

TEST_CASE("the end of a scheduler stops its jobs and waits for them") {
  std::atomic<int> ended{0};
  std::latch begun(4);
  {
    Scheduler scheduler(2);
    for (const Urgency urgency :
         {Urgency::kFirst, Urgency::kFirst, Urgency::kSoon, Urgency::kBlocking}) {
      scheduler.Start(urgency, [&] {
        begun.count_down();
        RunUntilStopped();
        ++ended;
        CheckStop();
      });
    }
    scheduler.Start(Urgency::kRest, [] { FAIL("jobs of kFirst run until the end"); });
    begun.wait();
  }
  CHECK(ended == 4);
}

TEST_CASE("what a job holds is freed before its end is told") {
  Scheduler scheduler(1);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  const auto job = scheduler.Start(Urgency::kFirst, [held = std::move(held)] {});
  REQUIRE(HasEnded(job));
  CHECK(watch.expired());
}

TEST_CASE("jobs and loops that start and stop at any moment all end") {
  Scheduler scheduler(3);
  std::atomic<int> items{0}, finished{0};
  std::vector<Scheduler::Handle> jobs;
  for (int round = 0; round < 300; ++round) {
    jobs.push_back(scheduler.Start(static_cast<Urgency>(round % 4), [&, round] {
      ParallelFor(static_cast<size_t>(round % 9), [&](size_t) {
        ParallelFor(static_cast<size_t>(round % 5), [&](size_t) { ++items; });
        CheckStop();
      });
      ++finished;
    }));
    if (round % 3 == 0) scheduler.Stop(jobs[static_cast<size_t>(round) / 2]);
    if (round % 50 == 49) scheduler.End(std::vector{jobs.back()});
  }
  scheduler.End(jobs);
  CHECK(scheduler.running() == 0);
  CHECK(finished <= 300);
  CHECK(items >= 0);
}

#ifdef __linux__
TEST_CASE("jobs of kSoon and kRest, and the loops in them, run behind threads that draw") {
  const int own = getpriority(PRIO_PROCESS, 0);
  Scheduler scheduler(3);
  const auto check = [&](Urgency urgency, int wanted) {
    std::atomic<int> met{0}, wrong{0};
    const auto job = scheduler.Start(urgency, [&] {
      ParallelFor(3, [&](size_t) {
        ++met;
        wrong += !Comes([&] { return met == 3; });
        wrong += getpriority(PRIO_PROCESS, 0) != wanted;
      });
    });
    CHECK(HasEnded(job));
    CHECK(wrong == 0);
  };
  check(Urgency::kFirst, own);
  check(Urgency::kBlocking, own);
  check(Urgency::kSoon, std::max(own, 10));
  check(Urgency::kRest, std::max(own, 10));
  CHECK(getpriority(PRIO_PROCESS, 0) == own);
}
#endif

}  // namespace
}  // namespace stepscope
