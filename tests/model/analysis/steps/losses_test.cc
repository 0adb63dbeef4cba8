// The times by class of a step (docs/rules.md#losses), on XSpaces built
// here: each class, sums and tiling.
#include "model/analysis/steps/losses.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/gpu_steps.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::XSpaceBuilder;
constexpr int64_t kUs = kPsPerUs;

// The time of a class in the third step, us.
double LossUs(const std::shared_ptr<const Trace>& trace, StepTimeClass c) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.device_steps.size() == 5);
  return static_cast<double>(At(db.device_steps[2].class_times, c)) / static_cast<double>(kUs);
}

}  // namespace

TEST_CASE("Idle time has the class of what the thread that feeds the device does") {
  // The device is idle from the end of the kernel before, at -80 us, to 20
  // us after the launch at 400 us.
  struct Case {
    test::HostEvent event;
    StepTimeClass loss;
  };
  const Case cases[] = {
      {{"IteratorGetNext:IteratorGetNext", 100, 200}, StepTimeClass::kInput},
      {{"$loader.py:12 load_batch", 100, 200}, StepTimeClass::kInput},
      {{"cuStreamSynchronize", 100, 200}, StepTimeClass::kSync},
      {{"XlaCompile", 100, 200}, StepTimeClass::kCompile},
      {{"cuModuleLoadData", 100, 200}, StepTimeClass::kCompile},
      {{"$model.py:7 call", 100, 200}, StepTimeClass::kHost},
  };
  for (const Case& c : cases) {
    CAPTURE(c.event.name);
    const auto trace = test::GpuSteps({c.event});
    // The marker's thread works in the rest: 200 us before the launch, and 30 us after the kernel.
    const double rest = LossUs(trace, StepTimeClass::kHost);
    CHECK(rest == (c.loss == StepTimeClass::kHost ? 430 : 230));
    if (c.loss != StepTimeClass::kHost) CHECK(LossUs(trace, c.loss) == 200);
    CHECK(LossUs(trace, StepTimeClass::kLaunch) == 20);
    CHECK(LossUs(trace, StepTimeClass::kCompute) == 500);
  }
}

TEST_CASE("Host work outside the markers is between the steps, and nothing at all is unknown") {
  const auto trace = test::GpuSteps({{"WriteMetrics", 960, 30}});
  CHECK(LossUs(trace, StepTimeClass::kBetweenSteps) == 30);
  CHECK(LossUs(trace, StepTimeClass::kUnknown) == 20);  // 950 to 960 and 990 to 1000
  CHECK(LossUs(trace, StepTimeClass::kHost) == 430);    // the rest of the marker
}

TEST_CASE("Times multiplied by a factor multiply all losses by it") {
  const std::vector<test::HostEvent> events = {{"IteratorGetNext:IteratorGetNext", 50, 100},
                                               {"cuStreamSynchronize", 200, 40},
                                               {"op:MatMul", 250, 90}};
  const auto once = test::GpuSteps(events), thrice = test::GpuSteps(events, 3);
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    CAPTURE(IdOf(static_cast<StepTimeClass>(c)));
    CHECK(LossUs(thrice, static_cast<StepTimeClass>(c)) ==
          3 * LossUs(once, static_cast<StepTimeClass>(c)));
  }
}

TEST_CASE("Losses sum to the step, causes to the idle time, and steps tile the device's time") {
  using test::GpuScenario;
  for (auto scenario : {GpuScenario::kHealthy, GpuScenario::kInputBound, GpuScenario::kLaunchBound,
                        GpuScenario::kCopies, GpuScenario::kStaggered, GpuScenario::kLaunchBound}) {
    test::GpuProfileOptions options;
    options.scenario = scenario;
    options.steps = 5;
    options.layers = 8;
    options.gpus = 3;
    options.run_ahead = scenario == GpuScenario::kCopies;
    options.between_us = 300;
    auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    REQUIRE(context.Get<StepDatabase>().device_steps.size() == 15);
    test::CheckTilesAndSums(context.Get<StepDatabase>());
  }
}

TEST_CASE("Each step's row of losses sums to its time, and has no column for what never occurs") {
  const auto trace = test::GpuSteps({{"IteratorGetNext", 50, 300}});
  AnalysisContext context(trace, Definitions::kStepscope);
  const auto overview = context.Get("overview");
  const ResultTable& losses = test::TableOf(*overview, "step_losses");
  const ResultTable& steps = test::TableOf(*overview, "steps");
  REQUIRE(losses.size() == steps.size());
  for (size_t r = 0; r < losses.size(); ++r) {
    CHECK(RawValue(losses.At(r, 0)) == RawValue(steps.At(r, 0)));
    CHECK(losses.links[r].range == steps.links[r].range);
    double sum = 0;
    for (size_t c = 2; c < losses.columns.size(); ++c) sum += std::get<double>(losses.At(r, c));
    CHECK(sum == doctest::Approx(std::get<double>(losses.At(r, 1))));
  }
  CHECK(losses.Column("device") >= 0);
  CHECK(losses.Column("input") >= 0);
  CHECK(losses.Column("collectives") < 0);
  const ResultTable& causes = test::TableOf(*overview, "idle_causes");
  REQUIRE(causes.readable.size() == causes.size());
  for (size_t r = 0; r < causes.size(); ++r) {  // data has the id, people read the name
    if (test::Text(*overview, "idle_causes", r, "class") != "input") continue;
    CHECK(causes.ShownText(r, causes.Column("class")) == "Waiting for input");
  }
}

TEST_CASE("What was launched before the first step delays its begin and makes it partial") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  kernels.Event("kernel", 0, 300 * kUs).Stat("correlation_id", uint64_t{99});  // no launch recorded
  for (int64_t s = 0; s < 3; ++s) {
    const int64_t t = (100 + s * 400) * kUs;
    const auto id = static_cast<uint64_t>(s + 1);
    host.Event("train", t, 390 * kUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    host.Event("cuLaunchKernel", t + 10 * kUs, 5 * kUs).Stat("correlation_id", id);
    kernels.Event("kernel", t + 250 * kUs, 400 * kUs).Stat("correlation_id", id);
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.steps.size() == 3);
  CHECK(db.steps[0].partial);
  CHECK(db.device_steps[0].span == TimeRange{300 * kUs, 750 * kUs});
  CHECK_FALSE(db.steps[1].partial);
  CHECK(db.device_steps[1].span == TimeRange{750 * kUs, 1150 * kUs});
}

TEST_CASE("A slow first step is warm-up and left out of the averages") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  int64_t t = 0;
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t length = s == 0 ? 1000 * kUs : 100 * kUs;
    const auto id = static_cast<uint64_t>(s + 1);
    host.Event("train", t, length).Stat("_r", int64_t{1}).Stat("step_num", s);
    host.Event("cuLaunchKernel", t, 5 * kUs).Stat("correlation_id", id);
    kernels.Event("kernel", t + 6 * kUs, length - 6 * kUs).Stat("correlation_id", id);
    t += length;
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const std::vector<Step>& steps = context.Get<StepDatabase>().steps;
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].warmup);
  CHECK(Summarize(steps, &StepBreakdown::total).mean == doctest::Approx(0.1));
  CHECK(Summarize(steps, &StepBreakdown::total).median == doctest::Approx(0.1));
}

TEST_CASE("Calls of one function are steps; repeated parts inside one annotation are not") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  uint64_t id = 0;
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 100 * kUs;
    host.Event("PjitFunction(step)", t, 50 * kUs);
    for (int64_t k = 0; k < 4; ++k) {
      host.Event("cuLaunchKernel", t + (10 + k) * kUs, kUs / 2).Stat("correlation_id", ++id);
      kernels.Event("k" + std::to_string(k), t + (20 + 10 * k) * kUs, 5 * kUs)
          .Stat("correlation_id", id);
    }
  }
  const auto steps_of = [&] {
    auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    CHECK(context.Get<StepDatabase>().inferred);
    return context.Get<StepDatabase>().steps.size();
  };
  CHECK(steps_of() == 4);
  host.Event("batch 7", -kUs, 500 * kUs);  // one numbered call around everything
  CHECK(steps_of() == 1);
}

}  // namespace stepscope
