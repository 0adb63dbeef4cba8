#include "viewer/core/analysis_cache.h"

#include <doctest/doctest.h>

#include <thread>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

Run Training(uint32_t id) {
  Run run;
  run.id = TraceId(id);
  run.trace = testing::TrainingTrace();
  run.analysis = std::make_shared<AnalysisContext>(run.trace, Definitions::kStepscope);
  return run;
}

const AnalysisResult* WaitFor(AnalysisCache& cache, const Run& run, const AnalysisParams& params) {
  for (;;) {
    cache.NextFrame();
    if (const AnalysisResult* result = cache.Get(run, "kernel_stats", params)) return result;
    std::this_thread::yield();
  }
}

TEST_CASE("analysis cache: a result is computed once and known by its serial number") {
  AnalysisCache cache({});
  const Run run = Training(0);
  const uint64_t serial = WaitFor(cache, run, {})->serial;
  CHECK(serial > 0);
  CHECK(WaitFor(cache, run, {})->serial == serial);
  AnalysisParams part;
  part.range = {0, 3 * kPsPerMs};
  CHECK(WaitFor(cache, run, part)->serial != serial);
  CHECK(cache.Get(run, "no such analysis", {}) == nullptr);
}

TEST_CASE("analysis cache: the newest question wins; what it replaces does not hold it up") {
  AnalysisCache cache({});
  const Run run = Training(0);
  AnalysisParams params;
  for (Ps end = 1; end <= 50; ++end) {  // as a range that is dragged
    cache.NextFrame();
    params.range = {0, end * 100 * kPsPerUs};
    cache.Get(run, "kernel_stats", params);
  }
  WaitFor(cache, run, params);
  CHECK_FALSE(cache.busy());
}

TEST_CASE("analysis cache: other definitions are another question, and runs that go take theirs") {
  AnalysisCache cache({});
  Run run = Training(0);
  const uint64_t serial = WaitFor(cache, run, {})->serial;
  run.analysis = std::make_shared<AnalysisContext>(run.trace, Definitions::kXprof);
  CHECK(WaitFor(cache, run, {})->serial != serial);
  const Run other = Training(1);
  cache.Get(other, "overview", {});
  const std::weak_ptr<AnalysisContext> watch = run.analysis;
  run = {};
  CHECK_FALSE(watch.expired());
  cache.KeepOnly({});
  CHECK(watch.expired());
  CHECK_FALSE(cache.busy());
}

}  // namespace
}  // namespace stepscope
