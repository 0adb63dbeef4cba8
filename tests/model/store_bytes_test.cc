// The memory of an event: at most 40 bytes for columns, references and pyramid
// (docs/measurements/speed.md).
#include <doctest/doctest.h>

#include "model/trace_builder.h"
#include "tests/model/lane_support.h"

namespace stepscope {
namespace {

TEST_CASE("a million events take at most 40 bytes each in the store") {
  TraceBuilder builder;
  constexpr uint32_t kStreams = 8, kThreads = 4, kEach = 1'000'000 / (kStreams + kThreads) + 1;
  for (uint32_t t = 0; t < kStreams + kThreads; ++t) {
    TrackData data;
    Ps time = 0;
    for (uint32_t i = 0; i < kEach; ++i) {
      if (t < kStreams) {
        data.slices.Add(time, 900, i % 50, i * 60);
        time += 1000;
      } else {  // a host thread: an op, a launch in it, a wait in that
        data.slices.Add(time + i % 3 * 10, 100 - i % 3 * 20, i % 50, i * 60);
        time += i % 3 == 2 ? 110 : 0;
      }
    }
    builder.AddTrack(std::move(data));
  }
  const auto result = builder.Finish();
  REQUIRE(result.ok());
  const Trace& trace = **result;
  REQUIRE(trace.counts.events() >= 1'000'000);
  const double bytes =
      static_cast<double>(trace.store_bytes()) / static_cast<double>(trace.counts.events());
  MESSAGE("store: " << bytes << " bytes an event");
  CHECK(bytes <= 40);
  CHECK(bytes >= 24);  // start, duration, name, reference
  CHECK(trace.set.lanes.size() == kStreams + 3 * kThreads);
}

}  // namespace
}  // namespace stepscope
