#include "model/jobs/lazy.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Condition>
bool ComesTrue(Condition condition) {
  for (const auto end = Clock::now() + std::chrono::seconds(60); Clock::now() < end;
       std::this_thread::yield())
    if (condition()) return true;
  return false;
}

TEST_CASE("a value is computed once, on first use") {
  Lazy<int> value;
  int calls = 0;
  const auto compute = [&] { return ++calls, 42; };
  const int& first = value.Get(compute);
  CHECK(first == 42);
  CHECK(&value.Get(compute) == &first);
  CHECK(value.Share(compute).get() == &first);
  CHECK(calls == 1);
}

TEST_CASE("threads that ask at once get the same value, with a scheduler and without one") {
  for (const bool in_jobs : {false, true}) {
    Scheduler scheduler(2);
    Lazy<std::string> value;
    std::atomic<int> calls{0};
    std::latch all(8);
    std::array<const std::string*, 8> seen{};
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < seen.size(); ++i) {
      threads.emplace_back([&, i] {
        const JobScope job(in_jobs ? &scheduler : nullptr);
        all.arrive_and_wait();
        seen[i] = &value.Get([&] {
          ++calls;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return std::string("made");
        });
      });
    }
    threads.clear();
    CHECK(calls == 1);
    for (const std::string* s : seen) CHECK(s == seen[0]);
    CHECK(*seen[0] == "made");
  }
}

TEST_CASE("a thread that waits for a value helps with the loops of its computation") {
  Scheduler scheduler(2);
  const JobScope job(&scheduler);
  Lazy<int> value;
  std::atomic<int> alone{0};
  ParallelFor(2, [&](size_t) {  // both threads: one computes, the other waits
    value.Get([&] {
      std::atomic<int> met{0};
      ParallelFor(2, [&](size_t) {
        ++met;
        alone += !ComesTrue([&] { return met == 2; });
      });
      return met.load();
    });
  });
  CHECK(alone == 0);
  CHECK(value.Get([] { return 0; }) == 2);
}

TEST_CASE("a computation that throws or is stopped leaves nothing, and the next one has a value") {
  Lazy<int> value;
  CHECK_THROWS_AS(value.Get([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  std::stop_source stop;
  stop.request_stop();
  {
    const JobScope job(nullptr, stop.get_token());
    CHECK_THROWS_AS(value.Get([] { return CheckStop(), 1; }), Stopped);
  }
  CHECK(value.Get([] { return 2; }) == 2);
}

TEST_CASE("who waits for a computation that is stopped computes the value anew") {
  Scheduler scheduler(4);
  Lazy<int> value;
  std::latch begun(1);
  const auto stopped = scheduler.Start(Urgency::kFirst, [&] {
    value.Get([&] {
      begun.count_down();
      for (;; std::this_thread::yield()) CheckStop();
      return 1;
    });
  });
  begun.wait();
  std::atomic<int> seen{0};
  const auto waits = scheduler.Start(Urgency::kFirst, [&] { seen = value.Get([] { return 2; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(seen == 0);
  scheduler.End(std::vector{stopped});
  CHECK(ComesTrue([&] { return waits->ended.load(); }));
  CHECK(seen == 2);
}

TEST_CASE("who is told to stop waits no longer for the computation of another") {
  Scheduler scheduler(4);
  Lazy<int> value;
  std::latch begun(1);
  std::binary_semaphore go(0);
  const auto computes = scheduler.Start(Urgency::kFirst, [&] {
    value.Get([&] {
      begun.count_down();
      go.acquire();
      return 1;
    });
  });
  begun.wait();
  std::atomic<bool> asked{false}, got{false};
  const auto waits = scheduler.Start(Urgency::kFirst, [&] {
    asked = true;
    value.Get([] { return 2; });
    got = true;
  });
  CHECK(ComesTrue([&] { return asked.load(); }));
  scheduler.End(std::vector{waits});
  CHECK_FALSE(got);
  CHECK_FALSE(computes->ended);
  go.release();
  CHECK(ComesTrue([&] { return computes->ended.load(); }));
  CHECK(value.Get([] { return 3; }) == 1);
}

TEST_CASE("a released value lives as long as others hold it") {
  Lazy<int> value;
  int calls = 0;
  const auto compute = [&] { return ++calls; };
  std::shared_ptr<const int> held = value.Share(compute);
  value.Release();
  CHECK(value.Share(compute) == held);
  CHECK(calls == 1);
  value.Release();
  held.reset();
  CHECK(*value.Share(compute) == 2);
}

TEST_CASE("of values by key the last ones that were asked for are kept") {
  Recent<std::string, int> values(2);
  int calls = 0;
  const auto ask = [&](const char* key) { return *values.Share(key, [&] { return ++calls; }); };
  CHECK(ask("a") == 1);
  CHECK(ask("b") == 2);
  CHECK(ask("a") == 1);
  CHECK(ask("c") == 3);  // b goes
  CHECK(ask("a") == 1);
  CHECK(ask("b") == 4);  // c goes
  CHECK(ask("a") == 1);
  values.Release();
  CHECK(ask("a") == 5);
}

// Values that need others with a smaller number, some of them by loops.
class Graph {
 public:
  explicit Graph(size_t size) : values_(size), calls_(size) {}
  uint64_t Value(size_t i) {
    return values_[i].Get([this, i] { return Compute(i); });
  }
  // Computations that ended.
  int calls(size_t i) const { return calls_[i]; }

 private:
  uint64_t Compute(size_t i) {
    CheckStop();
    std::atomic<uint64_t> sum{1};
    const auto add = [&](size_t k) {
      if (i > 0) sum += Value((i * 7 + k * 3) % i);
      CheckStop();
    };
    if (i % 3 == 0) {
      for (size_t k = 0; k < 3; ++k) add(k);
    } else {
      ParallelFor(1 + i % 5, add);
    }
    ++calls_[i];
    return sum;
  }
  std::deque<Lazy<uint64_t>> values_;
  std::deque<std::atomic<int>> calls_;
};

TEST_CASE("jobs that ask for values which need each other never wait for ever") {
  constexpr size_t kValues = 40;
  Graph serial(kValues);
  std::vector<uint64_t> wanted;
  std::thread([&] {
    for (size_t i = 0; i < kValues; ++i) wanted.push_back(serial.Value(i));
  }).join();
  Scheduler scheduler(3);
  for (unsigned round = 0; round < 60; ++round) {
    Graph graph(kValues);
    std::atomic<int> wrong{0};
    std::vector<Scheduler::Handle> jobs;
    for (unsigned j = 0; j < 8; ++j) {
      jobs.push_back(scheduler.Start(static_cast<Urgency>((round + j) % 4), [&, j] {
        ParallelFor(kValues, [&, j](size_t k) {
          const size_t i = (k * 11 + j * 5) % kValues;
          wrong += graph.Value(i) != wanted[i];
        });
      }));
    }
    // Some are stopped in the midst of it; the others compute anew what those leave.
    for (unsigned j = 0; j < 8; ++j) {
      if ((round + j) % 3 == 0) scheduler.Stop(jobs[j]);
    }
    for (unsigned j = 0; j < 8; ++j) REQUIRE(ComesTrue([&] { return jobs[j]->ended.load(); }));
    CHECK(wrong == 0);
    for (size_t i = 0; i < kValues; ++i) CHECK(graph.calls(i) <= 1);
  }
}

}  // namespace
}  // namespace stepscope
