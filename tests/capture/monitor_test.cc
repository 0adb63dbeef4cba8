#include "capture/monitor.h"

#include <doctest/doctest.h>

#include "tests/support/fake_profiler.h"

namespace stepscope::capture {
namespace {

using std::chrono::milliseconds;

TEST_CASE("monitor: a text of several lines becomes one") {
  CHECK(InOneLine("") == "");
  CHECK(InOneLine("idle 40 %") == "idle 40 %");
  CHECK(InOneLine("\n  Timestamp: 12:00\n  Utilization: 3.1 % \n\n") ==
        "Timestamp: 12:00   Utilization: 3.1 %");
}

TEST_CASE("monitor: each server has a line, or says why it has none") {
  const test::FakeProfiler tpu({.monitor = "Utilization: 40 %\nIdle: 60 %"}), cpu({});
  const auto servers = ParseAddresses(tpu.address() + "," + cpu.address());
  REQUIRE(servers.ok());
  const auto lines = Monitor(*servers, milliseconds(10), {});
  REQUIRE(lines.size() == 2);
  REQUIRE(lines[0].ok());
  CHECK(*lines[0] == "Utilization: 40 %   Idle: 60 %");
  REQUIRE_FALSE(lines[1].ok());
  CHECK(lines[1].status().message() ==
        cpu.address() +
            ": the program has no monitor, which only programs on TPUs have; record it instead, "
            "without --monitor");
}

TEST_CASE("monitor: a stop ends it") {
  const test::FakeProfiler silent({.fault = test::ServerFault::kSilent});
  std::stop_source stop;
  stop.request_stop();
  CHECK(Monitor(ParseAddresses(silent.address()).value(), milliseconds(10), stop.get_token())
            .empty());
}

}  // namespace
}  // namespace stepscope::capture
