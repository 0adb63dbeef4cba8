// The trace.json of a recording has the steps of its XSpace.
#include <doctest/doctest.h>

#include <string>

#include "model/analysis/steps/steps.h"
#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

const StepDatabase& StepsOf(AnalysisContext& context) {
  REQUIRE(context.stats_error().empty());
  return context.Get<StepDatabase>();
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
    return context.Get<Grouping>().groups.size();
  };
  CHECK(groups(R"({"step_num":"4"})") == 3);
  CHECK(groups(R"({"step_number":"4"})") == 0);
}

// Eight steps of 4 ms: 20 kernels of 110 us, then 1.6 ms of metrics outside the mark.
std::string Program(bool numbers, bool other_thread, bool names = false) {
  std::string text =
      R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},)"
      R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"/host:CPU"}},)"
      R"({"ph":"M","name":"thread_name","pid":1,"tid":14,"args":{"name":"Stream #14"}})";
  const auto slice = [&](int pid, int tid, int us, int dur, const std::string& name,
                         const std::string& args) {
    text += R"(,{"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
            R"(,"ts":)" + std::to_string(us) + R"(,"dur":)" + std::to_string(dur) + R"(,"name":")" +
            name + R"(","args":{)" + args + "}}";
  };
  for (int s = 0; s < 8; ++s) {
    const int at = 100 + 4000 * s;
    const std::string number = std::to_string(s);
    slice(7, 1, at, 2400, names ? "train " + number : "train",
          numbers ? R"("step_num":")" + number + "\"" : "");
    slice(7, 1, at + 2400, 1600, "WriteMetrics", "");
    for (int k = 0; k < 20; ++k) {
      const std::string id = R"("correlation_id":)" + std::to_string(20 * s + k + 1);
      slice(7, other_thread ? 2 : 1, at + 10 + 10 * k, 5, "cuLaunchKernel", id);
      slice(1, 14, at + 20 + 115 * k, 110, "kern" + std::to_string(k), id);
    }
  }
  return text + "]";
}

TEST_CASE("chrome steps: a step contains what another thread launches while its mark is open") {
  for (const bool other_thread : {false, true}) {
    CAPTURE(other_thread);
    AnalysisContext context(Chrome(Program(true, other_thread)), Definitions::kStepscope);
    const StepDatabase& db = StepsOf(context);
    REQUIRE(db.steps.size() == 8);
    CHECK(!db.inferred);
    CHECK(db.steps[3].label == "train 3");
    // From the end of the step before, the metrics without their launch are between the steps.
    const double between =
        db.steps[3].class_times[static_cast<size_t>(StepTimeClass::kBetweenSteps)];
    CHECK(between / static_cast<double>(kPsPerUs) == doctest::Approx(1600).epsilon(0.1));
  }
}

TEST_CASE("chrome steps: names that count are steps, before the period of kernels is") {
  AnalysisContext context(Chrome(Program(false, false, true)), Definitions::kStepscope);
  const StepDatabase& db = StepsOf(context);
  CHECK(db.steps.size() == 8);
  CHECK(db.how == "No marks: each call of train 0 is taken as a step.");
  AnalysisContext unnamed(Chrome(Program(false, false, false)), Definitions::kStepscope);
  CHECK(StepsOf(unnamed).how.find("period") != std::string::npos);
}

TEST_CASE("chrome steps: where a file has levels, a step_num without one is no root") {
  const auto groups = [](const char* other) {
    const std::string head = R"({"ph":"X","pid":1,"tid":1,"dur":9,"name":"train",)";
    const TracePtr trace = Chrome(
        "[" + head + R"("ts":0,"args":{"step_num":4}},)" + head + R"("ts":10,"args":{)" + other +
        R"(}},{"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}}])");
    AnalysisContext context(trace, Definitions::kStepscope);
    return context.Get<Grouping>().groups.size();
  };
  CHECK(groups(R"("step_num":5)") == 2);
  CHECK(groups(R"("step_num":5,"_r":1)") == 1);
}

TEST_CASE("chrome steps: PyTorch's traces are known by their categories") {
  CHECK(LoadSample("torch_cpu.json.gz")->kineto);
  CHECK(!LoadSample("jax_cpu.trace.json.gz")->kineto);
}

TEST_CASE(
    "chrome steps: step_num marks steps in a process of its own, which last as they do there") {
  std::string text = R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"Step:TRAIN"}})";
  for (int n = 0; n < 30; ++n) {
    text += R"(,{"ph":"X","pid":1,"tid":0,"name":"Step:TRAIN","dur":84000,"ts":)" +
            std::to_string(1000 + n * 90'000) + R"(,"args":{"step_num":")" + std::to_string(n) +
            "\"}}";
  }
  AnalysisContext context(Chrome(text + "]"), Definitions::kStepscope);
  const StepDatabase& db = StepsOf(context);
  REQUIRE(db.steps.size() == 30);
  CHECK_FALSE(db.inferred);
  for (size_t i = 0; i < db.steps.size(); ++i) {
    CHECK(db.steps[i].number == static_cast<int64_t>(i));
    CHECK(db.steps[i].span.length() == 84 * kPsPerMs);
  }
}

TEST_CASE("chrome steps: the line Steps of a GPU marks them where nothing on the host does") {
  std::string text =
      R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},)"
      R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"Steps"}},)"
      R"x({"ph":"M","name":"thread_name","pid":1,"tid":14,"args":{"name":"stream:14(Compute)"}})x";
  const auto slice = [&](int tid, int us, int dur, const std::string& name) {
    text += R"(,{"ph":"X","pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" +
            std::to_string(us) + R"(,"dur":)" + std::to_string(dur) + R"(,"name":")" + name + "\"}";
  };
  for (int s = 0; s < 5; ++s) {
    slice(1, 1000 + s * 1000, 1000, std::to_string(s + 7));
    for (int k = 0; k < 100; ++k) slice(14, 1000 + s * 1000 + k * 10, 10, "volta_sgemm_128x64_nn");
  }
  AnalysisContext context(Chrome(text + ",{}]"), Definitions::kStepscope);
  const StepDatabase& db = StepsOf(context);
  REQUIRE(db.steps.size() == 5);
  CHECK_FALSE(db.inferred);
  for (size_t i = 0; i < db.steps.size(); ++i) {
    CHECK(db.steps[i].number == static_cast<int64_t>(i) + 7);
    CHECK(db.steps[i].span.length() == kPsPerMs);
    CHECK(db.steps[i].times.compute == doctest::Approx(static_cast<double>(kPsPerMs)));
  }
}

}  // namespace
}  // namespace stepscope
