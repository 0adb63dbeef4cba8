#include "loaders/common/queue_overruns.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

RawEvents Queue(const std::vector<std::pair<Ps, Ps>>& start_and_dur) {
  RawEvents queue;
  for (const auto& [start, dur] : start_and_dur) queue.Add(start, dur, 0, 0);
  return queue;
}

// 100 events of 10, one each 12, in any order of the file; the n-th lasts `dur`.
RawEvents Hundred(size_t n, Ps dur, bool backwards = false) {
  std::vector<std::pair<Ps, Ps>> events;
  for (size_t i = 0; i < 100; ++i) events.emplace_back(12 * static_cast<Ps>(i), i == n ? dur : 10);
  if (backwards) std::reverse(events.begin(), events.end());
  return Queue(events);
}

TEST_CASE("an overrun goes on after a later event, ten times as long as those that do not") {
  CHECK(FindQueueOverruns(Hundred(50, 12)).overruns.empty());    // up to the next one
  CHECK(FindQueueOverruns(Hundred(50, 100)).overruns.empty());   // ten times
  CHECK(FindQueueOverruns(Hundred(99, 5000)).overruns.empty());  // nothing comes after it
  const QueueOverruns found = FindQueueOverruns(Hundred(50, 125));
  CHECK(found.longest == 10);
  CHECK(found.one_at_a_time);
  REQUIRE(found.overruns.size() == 1);
  CHECK(found.overruns[0].event == 50);
  CHECK(found.overruns[0].next == 612);
  CHECK(found.overruns[0].passed == 9);  // the tenth is cut in two
  CHECK(found.overruns[0].splits);
  CHECK(FindQueueOverruns(Hundred(50, 125, true)).overruns.at(0).event == 49);
}

TEST_CASE("an overrun is impossible where it outlasts the file, or many events of its queue") {
  const auto impossible = [](Ps dur, Ps others_end, bool collective, bool copy) {
    const RawEvents queue = Hundred(50, dur);
    const QueueOverruns found = FindQueueOverruns(queue);
    REQUIRE(found.overruns.size() == 1);
    return IsImpossible(found.overruns[0], found, queue,
                        {{0, others_end}, collective, copy, false, false});
  };
  CHECK(impossible(1000, 1300, false, true));        // ends at 1600
  CHECK_FALSE(impossible(1000, 1550, false, true));  // so near the end it may be true
  CHECK_FALSE(impossible(1000, 1300, true, false));
  CHECK(impossible(3000, 1300, true, false));
  CHECK(impossible(520, 1300, false, false));  // ends at 1120, after 42 others
  CHECK_FALSE(impossible(490, 1300, false, false));
  CHECK_FALSE(impossible(520, 1300, true, false));
  CHECK_FALSE(impossible(520, 1300, false, true));
}

TEST_CASE("a queue in which every fourth event overruns runs several at a time") {
  std::vector<std::pair<Ps, Ps>> events;
  for (Ps i = 0; i < 100; ++i) events.emplace_back(12 * i, i % 3 == 0 ? 500 : 10);
  CHECK(FindQueueOverruns(Queue(events)).overruns.empty());
}

}  // namespace
}  // namespace stepscope
