// The context keeps results by what was asked, the last few of them, computed once.
#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/support/stopped_job.h"

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/devices/precision.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/loaded.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Generated() {
  test::GpuProfileOptions options;
  options.steps = 3;
  options.layers = 4;
  return test::Loaded("h.xplane.pb", test::MakeGpuProfile(options));
}

// Events that the rows of the tables lead to.
size_t EventsIn(const AnalysisResult& result) {
  size_t events = 0;
  for (const ResultTable& table : result.tables) {
    for (const RowLink& link : table.links) events += link.rows.size();
  }
  return events;
}

AnalysisParams FirstMs(int64_t ms) {
  AnalysisParams params;
  params.range = {0, ms * kPsPerMs};
  return params;
}

}  // namespace

TEST_CASE("a result is computed once for the same question, and anew for another") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  const auto all = context.Get("kernel_stats");
  CHECK(context.Get("kernel_stats") == all);
  CHECK(context.Get("kernel_stats", FirstMs(2)) != all);
  CHECK(context.Get("op_stats") != all);
  CHECK(context.Get<OpDatabase>(AnalysisParams()) ==
        context.Get<OpDatabase>(ForHost("worker-0")));  // has all hosts anyway
  CHECK(context.Get<OpDatabase>(FirstMs(2)) != context.Get<OpDatabase>(AnalysisParams()));
}

TEST_CASE("facts of the steps of a part are computed once for all pages that judge them") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  const StepDatabase& steps = context.Get<StepDatabase>();
  const AnalysisParams all;
  const auto kinds = context.Get<ExposedKinds>(all);
  const auto precision = context.Get<PrecisionTimes>(all);
  const std::vector<ExposedKind> alone = FindExposedKinds(context.trace(), steps);
  REQUIRE(kinds->kinds.size() == alone.size());
  CHECK(!alone.empty());
  for (size_t i = 0; i < alone.size(); ++i) CHECK(kinds->kinds[i].ps == alone[i].ps);
  CHECK(precision->all == ComputePrecision(context, {}, steps).all);
  CHECK(precision->all > 0);
  CHECK(context.Get<ExposedKinds>(all) == kinds);
  CHECK(context.Get<PrecisionTimes>(all) == precision);
  CHECK(context.Get<PrecisionTimes>(FirstMs(2)) != precision);
}

TEST_CASE("the last few results are kept; an older one lives as long as others hold it") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  const auto first = context.Get("kernel_stats");
  const std::string before = ToCsv(*first->Table("kernels"));
  std::weak_ptr<const AnalysisResult> dropped = context.Get("kernel_stats", FirstMs(1));
  for (int64_t ms = 2; ms < 12; ++ms) context.Get("kernel_stats", FirstMs(ms));
  CHECK(dropped.expired());
  CHECK(ToCsv(*first->Table("kernels")) == before);
  const auto again = context.Get("kernel_stats");
  CHECK(again != first);
  CHECK(ToCsv(*again->Table("kernels")) == before);
}

TEST_CASE("the memory profile is computed once for the page and for findings") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  RunAnalysis(*FindAnalysis("memory"), context, {});
  const std::shared_ptr<const MemoryProfile> profile = context.Get<MemoryProfile>(AnalysisParams());
  CHECK(profile.use_count() == 2);  // the context's and ours
  RunAnalysis(*FindAnalysis("findings"), context, {});
  CHECK(context.Get<MemoryProfile>(AnalysisParams()) == profile);
  CHECK(context.Get<MemoryProfile>(FirstMs(2)) != profile);
  CHECK(profile.use_count() == 1);  // only the last one is kept
}

TEST_CASE("a released memory profile lives as long as others hold it") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  std::shared_ptr<const MemoryProfile> profile = context.Get<MemoryProfile>(AnalysisParams());
  context.ReleaseCaches();
  CHECK(profile.use_count() == 1);
  CHECK(context.Get<MemoryProfile>(AnalysisParams()) == profile);  // found again, and kept again
  CHECK(profile.use_count() == 2);
  context.ReleaseCaches();
  const std::weak_ptr<const MemoryProfile> gone = profile;
  const size_t allocators = profile->allocators.size();
  profile = nullptr;
  CHECK(gone.expired());
  CHECK(context.Get<MemoryProfile>(AnalysisParams())->allocators.size() ==
        allocators);  // computed again
}

TEST_CASE("threads that ask the same at once get one result") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  std::vector<std::shared_ptr<const AnalysisResult>> got(6);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < got.size(); ++i)
    threads.emplace_back([&, i] { got[i] = context.Get("overview", FirstMs(i % 2 == 0 ? 1 : 2)); });
  for (std::thread& t : threads) t.join();
  const std::set<std::shared_ptr<const AnalysisResult>> distinct(got.begin(), got.end());
  CHECK(distinct.size() == 2);
}

TEST_CASE("a stopped caller gets Stopped, others the whole result") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  CHECK_THROWS_AS(test::RunStopped([&] { context.Get("kernel_stats"); }), Stopped);
  CHECK_THROWS_AS(test::RunStopped([&] { context.Get<Grouping>(); }), Stopped);
  CHECK_THROWS_AS(test::RunStopped([&] { context.stats(); }), Stopped);
  CHECK_THROWS_AS(test::RunStopped([&] { context.Get<StepDatabase>(); }), Stopped);
  CHECK_FALSE(context.Get("kernel_stats")->Table("kernels")->empty());
  CHECK_FALSE(context.Get<Grouping>().launches.empty());
  CHECK(&context.Get<Grouping>() == &context.Get<Grouping>());
  const Grouping& known = context.Get<Grouping>();
  test::RunStopped([&] { CHECK(&context.Get<Grouping>() == &known); });
}

TEST_CASE("an analysis that is stopped at any moment leaves nothing half done") {
  test::GpuProfileOptions options;
  options.steps = 60;
  options.layers = 20;
  auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  for (const char* id : {"overview", "kernel_stats", "op_stats", "memory", "findings"}) {
    CAPTURE(std::string(id));
    AnalysisContext whole(*trace, Definitions::kStepscope);
    const size_t all = EventsIn(RunAnalysis(*FindAnalysis(id), whole, {}));
    CHECK(all > 100);
    AnalysisContext context(*trace, Definitions::kStepscope);
    for (const int us : {0, 100, 1'000, 5'000, 20'000}) {
      std::stop_source stop;
      const std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(us));
        stop.request_stop();
      });
      const JobScope job(JobScope::Current().scheduler, stop.get_token());
      size_t events = all;
      CatchStopped([&] { events = EventsIn(RunAnalysis(*FindAnalysis(id), context, {})); });
      CHECK(events == all);
    }
    CHECK(EventsIn(RunAnalysis(*FindAnalysis(id), context, {})) == all);
    CHECK_THROWS_AS(test::RunStopped([&] { RunAnalysis(*FindAnalysis(id), context, {}); }),
                    Stopped);
  }
}

TEST_CASE("an analysis that does not exist says so") {
  AnalysisContext context(Generated(), Definitions::kStepscope);
  CHECK(context.Get("no_such")->empty_reason.find("no_such") != std::string::npos);
}

}  // namespace stepscope
