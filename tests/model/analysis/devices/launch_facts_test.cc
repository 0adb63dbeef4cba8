// Launch facts of traces whose numbers follow from how they are made. Times are in us.
#include "model/analysis/devices/launch_facts.h"

#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/lookup.h"
#include "tests/support/kineto_text.h"
#include "tests/support/trace_lookup.h"

namespace stepscope {
namespace {

struct LaunchedTrace {
  explicit LaunchedTrace(const test::KinetoText& text) {
    const Result<std::shared_ptr<const Trace>> loaded = LoadBytes("t.json", text.Text(), {});
    REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
    trace = *loaded;
    AnalysisContext context(trace, Definitions::kStepscope);
    flows = BuildFlowIndex(*trace, &context.Get<Grouping>());
  }
  EventRow Row(std::string_view name) const { return test::RowNamed(*trace, name); }
  std::optional<LaunchFacts> Facts(std::string_view name) const {
    return FindLaunchFacts(*trace, flows, Row(name));
  }
  // "innermost < around it < ..."
  std::string Stack(std::string_view name) const {
    const std::optional<LaunchFacts> facts = Facts(name);
    REQUIRE(facts);
    std::string out;
    for (const EventRow row : facts->stack)
      out += (out.empty() ? "" : " < ") + std::string(trace->set.Name(row));
    return out;
  }
  std::shared_ptr<const Trace> trace;
  FlowIndex flows{{}};
};

TEST_CASE("launch facts: the delay counts from the end of the call and is never negative") {
  test::KinetoText t;
  t.Launch(1, 0, 4).Kernel("a", 1, 10, 5);
  t.Launch(2, 5, 4).Kernel("b", 2, 20, 5);
  t.Launch(3, 30, 4).Kernel("c", 3, 32, 5);  // begins before the call returns
  const LaunchedTrace trace(t);
  CHECK(trace.Facts("a")->delay == 6 * kPsPerUs);
  CHECK(trace.Facts("b")->delay == 11 * kPsPerUs);
  CHECK(trace.Facts("c")->delay == 0);
  CHECK(trace.trace->set.Start(trace.Facts("b")->call) == 5 * kPsPerUs);
}

TEST_CASE(
    "launch facts: the queue holds what begins on the stream between the call and the event") {
  test::KinetoText t;
  t.Launch(1, 0, 1).Launch(2, 2, 1).Launch(3, 4, 1).Launch(4, 31, 1);
  t.Kernel("a", 1, 10, 5).Kernel("b", 2, 15, 5).Kernel("c", 3, 20, 5).Kernel("d", 4, 40, 5);
  t.Launch(5, 6, 1).On(0, 8).Kernel("other stream", 5, 22, 5);
  const LaunchedTrace trace(t);
  CHECK(trace.Facts("a")->queue_length == 0);
  CHECK(trace.Facts("b")->queue_length == 1);
  CHECK(trace.Facts("c")->queue_length == 2);
  CHECK(trace.Facts("d")->queue_length == 0);  // all before it had begun before its call
  CHECK(trace.Facts("other stream")->queue_length == 0);
}

TEST_CASE("launch facts: the stack is what the host was in, innermost first") {
  test::KinetoText t;
  t.Host("user_annotation", "step", 0, 100).Host("cpu_op", "aten::linear", 10, 50);
  t.Host("cpu_op", "aten::addmm", 15, 30).Launch(1, 20, 5).Kernel("gemm", 1, 40, 5);
  t.Launch(2, 200, 5).Kernel("alone", 2, 240, 5);
  const LaunchedTrace trace(t);
  CHECK(trace.Stack("gemm") == "aten::addmm < aten::linear < step");
  CHECK(trace.Stack("alone").empty());
}

TEST_CASE("launch facts: a deep stack keeps the innermost") {
  test::KinetoText t;
  for (int depth = 0; depth < 20; ++depth)
    t.Host("cpu_op", "op" + std::to_string(depth), depth, 100 - depth);
  t.Launch(1, 30, 2).Kernel("k", 1, 40, 5);
  const LaunchedTrace trace(t);
  const std::vector<EventRow> stack = trace.Facts("k")->stack;
  REQUIRE(stack.size() == kMostLaunchStack);
  CHECK(trace.trace->set.Name(stack.front()) == "op19");
  CHECK(trace.trace->set.Name(stack.back()) == "op8");
}

TEST_CASE("launch facts: an event whose launch nobody knows has none") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("k", 1, 20, 5);
  t.Kernel("unknown", 99, 80, 5);
  const LaunchedTrace trace(t);
  CHECK_FALSE(trace.Facts("unknown"));
  CHECK_FALSE(trace.Facts("aten::mm"));
  CHECK_FALSE(trace.Facts("cudaLaunchKernel"));
  CHECK_FALSE(FindLaunchFacts(*trace.trace, FlowIndex({}), trace.Row("k")));
}

TEST_CASE("launch facts: an arrow that is no launch does not hide the launch") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("k", 1, 20, 5);
  const LaunchedTrace trace(t);
  const uint32_t op = trace.Row("aten::mm").value, call = trace.Facts("k")->call.value,
                 kernel = trace.Row("k").value;
  const FlowIndex flows({{op, kernel, FlowKind::kRecorded}, {call, kernel, FlowKind::kLaunch}});
  const auto facts = FindLaunchFacts(*trace.trace, flows, EventRow(kernel));
  REQUIRE(facts);
  CHECK(facts->call == EventRow(call));
}

TEST_CASE("only a profile with a GPU can have launches") {
  test::KinetoText cpu, gpu;
  cpu.Host("cpu_op", "aten::mm", 0, 10);
  gpu.Kernel("k", 1, 20, 5);
  CHECK_FALSE(HasGpuPlane(*LaunchedTrace(cpu).trace));
  CHECK(HasGpuPlane(*LaunchedTrace(gpu).trace));
}

}  // namespace
}  // namespace stepscope
