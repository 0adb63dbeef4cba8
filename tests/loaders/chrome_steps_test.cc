// The trace.json of a recording has the steps of its XSpace.
#include <doctest/doctest.h>

#include <string>

#include "model/analysis/steps.h"
#include "tests/loaders/chrome_support.h"

namespace stepscope {
namespace {

const StepDatabase& StepsOf(AnalysisContext& context) {
  REQUIRE(context.stats_error().empty());
  return context.steps();
}

TEST_CASE("chrome steps: JAX marks steps by step_num, as in the XSpace of the same recording") {
  AnalysisContext space(LoadSample("jax_cpu.xplane.pb.zst"), Definitions::kStepscope);
  AnalysisContext json(LoadSample("jax_cpu.trace.json.gz"), Definitions::kStepscope);
  const std::vector<Step>& expected = StepsOf(space).steps;
  const std::vector<Step>& steps = StepsOf(json).steps;
  REQUIRE(expected.size() == 20);
  REQUIRE(steps.size() == expected.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].label == expected[i].label);
    CHECK(steps[i].span.length() == expected[i].span.length());
    CHECK(steps[i].times.host_compute == doctest::Approx(expected[i].times.host_compute));
    CHECK(steps[i].times.other == doctest::Approx(expected[i].times.other));
  }
}

TEST_CASE("chrome steps: events with step_num are roots of groups, others are not") {
  const auto groups = [](const char* args) {
    std::string text = "[";
    for (int i = 0; i < 3; ++i) {
      text += R"({"ph":"X","pid":1,"tid":1,"ts":)" + std::to_string(i * 10) +
              R"(,"dur":9,"name":"train","args":)" + args + "},";
    }
    text += R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},)"
            R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"python"}}])";
    const TracePtr trace = Chrome(text);
    CHECK(!trace->kineto);
    AnalysisContext context(trace, Definitions::kStepscope);
    return context.grouping().groups.size();
  };
  CHECK(groups(R"({"step_num":"4"})") == 3);
  CHECK(groups(R"({"step_number":"4"})") == 0);
}

TEST_CASE("chrome steps: PyTorch's traces are known by their categories") {
  CHECK(LoadSample("torch_cpu.json.gz")->kineto);
  CHECK(!LoadSample("jax_cpu.trace.json.gz")->kineto);
}

}  // namespace
}  // namespace stepscope
