#include "model/base/task.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace stepscope {
namespace {

TEST_CASE("every index is visited once, whatever the number of threads") {
  for (const unsigned threads : {0u, 1u, 2u, 7u, 64u}) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3}, size_t{1000}}) {
      std::vector<std::atomic<int>> visits(n);
      ParallelFor(
          n, [&](size_t i) { ++visits[i]; }, threads);
      for (size_t i = 0; i < n; ++i) REQUIRE(visits[i] == 1);
    }
  }
  CHECK(WorkerCount() >= 1);
  CHECK(WorkerCount() <= 16);
}

TEST_CASE("as many threads as asked work at once") {
  for (const unsigned threads : {2u, 3u, 7u, 16u}) {
    std::atomic<unsigned> met{0}, alone{0};
    ParallelFor(
        threads,
        [&](size_t) {
          ++met;
          const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (met < threads && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
          alone += met < threads;
        },
        threads);
    CHECK(alone == 0);
  }
}

TEST_CASE("few events start no threads") {
  CHECK(ThreadsFor(0) == 1);
  CHECK(ThreadsFor(100) == 1);
  CHECK(ThreadsFor(1'000'000) == 0);
}

TEST_CASE("what a worker throws reaches the caller") {
  std::atomic<int> calls{0};
  const auto run = [&] {
    ParallelFor(
        1000,
        [&](size_t i) {
          ++calls;
          if (i == 10) throw std::bad_alloc();
        },
        4);
  };
  CHECK_THROWS_AS(run(), std::bad_alloc);
  CHECK(calls >= 11);
}

}  // namespace
}  // namespace stepscope
