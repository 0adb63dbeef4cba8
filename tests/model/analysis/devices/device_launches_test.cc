// Launches in order of the calls, whatever threads and lanes these are in.
#include "model/analysis/devices/device_launches.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"

namespace stepscope {
namespace {

using Launches = std::vector<std::pair<std::string, std::string>>;  // names of call and event

// The launches of stream 7 of GPU 0, in their order.
Launches LaunchesOf(const test::KinetoText& text) {
  const auto trace = LoadBytes("t.json", text.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const DeviceEvents events(context, {});
  REQUIRE(events.devices().size() == 1);
  const auto streams = LaunchReader(**trace).Read(events, events.devices().front());
  REQUIRE(streams.size() == 1);
  const TrackSet& set = (*trace)->set;
  Launches names;
  uint32_t last = 0;
  for (const DeviceLaunch& launch : streams.front().second) {
    CHECK(launch.call >= last);
    last = launch.call;
    CHECK(launch.begin == set.Start(EventRow(launch.call)));
    CHECK(launch.start == set.Start(EventRow(launch.row)));
    names.emplace_back(set.Name(EventRow(launch.call)), set.Name(EventRow(launch.row)));
  }
  return names;
}

TEST_CASE("launches of two threads whose work alternates stand in order of the calls") {
  test::KinetoText t;
  for (int i = 0; i < 6; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    t.Thread(1 + i % 2).Launch(i + 1, 10 * i, 4, "cudaLaunchKernel");
    t.Kernel(name, i + 1, 100 + 10 * i, 5);
  }
  CHECK(LaunchesOf(t) == Launches{{"cudaLaunchKernel", "a"},
                                  {"cudaLaunchKernel", "c"},
                                  {"cudaLaunchKernel", "e"},
                                  {"cudaLaunchKernel", "b"},
                                  {"cudaLaunchKernel", "d"},
                                  {"cudaLaunchKernel", "f"}});
}

TEST_CASE("of a graph the first event of the stream counts, also where calls alternate") {
  test::KinetoText t;
  t.Thread(2).Launch(1, 0, 4, "cudaGraphLaunch");
  t.Thread(1).Launch(2, 1, 4);
  t.Kernel("g1", 1, 20, 5).Kernel("k", 2, 30, 5).Kernel("g2", 1, 40, 5).Kernel("g3", 1, 50, 5);
  CHECK(LaunchesOf(t) == Launches{{"cudaLaunchKernel", "k"}, {"cudaGraphLaunch", "g1"}});
}

TEST_CASE("calls inside other calls lie in other lanes and are put in order with them") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 100);
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 0) t.Host("cpu_op", "aten::inner", 10 * i, 8);
    t.Launch(i + 1, 10 * i + 1, 4).Kernel("k" + std::to_string(i), i + 1, 200 + 10 * i, 5);
  }
  // Lane after lane: those inside one op only, then those inside two.
  CHECK(LaunchesOf(t) == Launches{{"cudaLaunchKernel", "k1"},
                                  {"cudaLaunchKernel", "k3"},
                                  {"cudaLaunchKernel", "k0"},
                                  {"cudaLaunchKernel", "k2"}});
}

}  // namespace
}  // namespace stepscope
