// Our step breakdown finds what the generator plants, in each step on each device, within 2 %.
#include <doctest/doctest.h>

#include <cmath>

#include "loaders/loader.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

using test::GpuScenario;

void CheckClose(const char* what, double ours, int64_t planted) {
  const double difference = std::abs(ours - static_cast<double>(planted));
  CAPTURE(what);
  CAPTURE(ours);
  CAPTURE(planted);
  CHECK(difference <= std::max(0.02 * static_cast<double>(planted), 1.0));
}

void CheckDevice(const DeviceStep& d, const test::StepTruth& step, size_t gpu,
                 const test::GpuProfileOptions& options) {
  const test::GpuStepTruth& truth = step.gpus[gpu];
  CheckClose("h2d", static_cast<double>(d.h2d), truth.h2d_ps);
  CheckClose("d2h", static_cast<double>(d.d2h), truth.d2h_ps);
  CheckClose("collective wait", static_cast<double>(d.collective_wait), truth.collective_wait_ps);
  CheckClose("host input wait", static_cast<double>(d.host_input_wait), step.input_wait_ps);
  // A wait on the host that the device's work hides is no wait of the device.
  if (!options.run_ahead)
    CheckClose("input wait", static_cast<double>(d.input_wait), step.input_wait_ps);
  if (options.scenario == GpuScenario::kLaunchBound && !options.run_ahead) {
    CHECK(d.times.launch >= 0.98 * static_cast<double>(truth.idle_ps));
    CHECK(d.times.launch + static_cast<double>(d.input_wait) <= static_cast<double>(d.idle) + 1);
  }
}

void CheckScenario(const test::GpuProfileOptions& options) {
  CAPTURE(test::GpuScenarioName(options.scenario));
  CAPTURE(options.run_ahead);
  CAPTURE(options.seed);
  std::vector<test::StepTruth> truth;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options, &truth), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.steps.size() == truth.size());
  REQUIRE(db.device_steps.size() == truth.size() * static_cast<size_t>(options.gpus));
  for (size_t i = 0; i < db.device_steps.size(); ++i) {
    CAPTURE(i);
    const DeviceStep& d = db.device_steps[i];
    CheckDevice(d, truth[d.step], i % static_cast<size_t>(options.gpus), options);
  }
}

}  // namespace

TEST_CASE("Planted waits, copies and launches are found for every size and seed") {
  for (auto scenario : {GpuScenario::kHealthy, GpuScenario::kInputBound, GpuScenario::kLaunchBound,
                        GpuScenario::kCopies, GpuScenario::kStaggered}) {
    for (bool run_ahead : {false, true}) {
      test::GpuProfileOptions options;
      options.scenario = scenario;
      options.run_ahead = run_ahead;
      options.steps = 6;
      options.layers = 12;
      CheckScenario(options);
      options.gpus = 4;
      options.steps = 4;
      options.layers = 7;
      options.seed = 11;
      CheckScenario(options);
    }
  }
}

TEST_CASE("A late device shows where it waits, and only there") {
  test::GpuProfileOptions options;
  options.scenario = GpuScenario::kStaggered;
  options.steps = 5;
  options.layers = 10;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  for (const DeviceStep& d : context.Get<StepDatabase>().device_steps) {
    const double unexplained = d.times.other + d.times.launch;
    if (context.trace().planes[d.device.value].device_ordinal == 1) {
      // 1.5 ms are planted; the launch takes some time more.
      CHECK(unexplained == doctest::Approx(1.5e9).epsilon(0.06));
    } else {
      CHECK(unexplained < 0.2e9);
    }
  }
}

TEST_CASE(
    "Copies in the steps do not erase the split of the input time where nothing is enqueued") {
  test::GpuProfileOptions options;
  options.scenario = GpuScenario::kInputBound;
  options.layers = 4;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  const auto preprocessing = [&](Definitions definitions) {
    AnalysisContext context(*trace, definitions);
    const AnalysisResult result = FindAnalysis("input_pipeline")->run(context, {});
    for (const Property& p : result.properties) {
      if (p.id == "preprocessing_us") return std::get<double>(p.value);
    }
    return -1.0;
  };
  CHECK(preprocessing(Definitions::kStepscope) > 1000.0 * options.steps);  // 4 ms a step
  // XProf has the same time, because it counts these copies as compute.
  CHECK(preprocessing(Definitions::kXprof) == preprocessing(Definitions::kStepscope));
}

}  // namespace stepscope
