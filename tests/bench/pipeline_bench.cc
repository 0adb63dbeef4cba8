// Times the way from bytes to answers on a generated profile: loading, and each analysis, for
// which what analyses share is computed already.
#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/jobs/scheduler.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

// 8 GPUs, 50 layers: 5,290 events a step.
std::string Profile(int steps) {
  test::GpuProfileOptions options;
  options.gpus = 8;
  options.steps = steps;
  return test::MakeGpuProfile(options);
}

std::shared_ptr<const Trace> Load(std::string bytes) {
  Result<std::shared_ptr<const Trace>> trace = LoadBytes("gpu.xplane.pb", std::move(bytes), {});
  if (!trace.ok()) throw std::runtime_error(trace.status().message());
  return *trace;
}

void BM_LoadXSpace(benchmark::State& state) {
  Scheduler scheduler;
  const JobScope job(&scheduler);
  const std::string bytes = Profile(static_cast<int>(state.range(0)));
  uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::string copy = bytes;
    state.ResumeTiming();
    events += Load(std::move(copy))->counts.events();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes.size()) * state.iterations());
  state.SetItemsProcessed(static_cast<int64_t>(events));
}
BENCHMARK(BM_LoadXSpace)->Arg(20)->Arg(200)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_AllAnalyses(benchmark::State& state) {
  Scheduler scheduler;
  const JobScope job(&scheduler);
  const std::shared_ptr<const Trace> trace = Load(Profile(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    AnalysisContext context(trace, Definitions::kStepscope);
    for (const AnalysisDesc& analysis : Analyses()) {
      benchmark::DoNotOptimize(analysis.run(context, {}));
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(trace->counts.events()) * state.iterations());
}
BENCHMARK(BM_AllAnalyses)->Arg(20)->Arg(200)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace stepscope
