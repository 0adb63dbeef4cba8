// What `allreduce` says of waits for other participants: only recorded ones can be told apart.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/has_text.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::Has;

std::string TitleOf(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const AnalysisResult found = FindAll(context, {}, {});
  const int row = test::RowOfRule(found, "allreduce");
  REQUIRE(row >= 0);
  return test::Text(found, "findings", static_cast<size_t>(row), "title");
}

}  // namespace

TEST_CASE("Waits for participants that were not recorded are in the time of collectives") {
  test::KinetoText t;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Launch(2 * step + 1, at + 1, 2).Launch(2 * step + 2, at + 4, 2);
    t.Kernel("gemm", 2 * step + 1, at + 10, 600);
    t.Kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 2 * step + 2, at + 610, 390);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  const std::string title = TitleOf(*trace);
  CAPTURE(title);
  CHECK(Has(title, "waits for participants that were not recorded included"));
  CHECK_FALSE(Has(title, "excluding waits"));
}

TEST_CASE("Waits of GPUs for one another are no time of collectives") {
  test::GpuProfileOptions options;
  options.scenario = test::GpuScenario::kStaggered;
  options.steps = 6;
  options.layers = 8;
  const auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  FindingThresholds thresholds;
  REQUIRE(thresholds.Set("allreduce=0.01"));
  const AnalysisResult found = FindAll(context, {}, thresholds);
  const int row = test::RowOfRule(found, "allreduce");
  REQUIRE(row >= 0);
  const std::string title = test::Text(found, "findings", static_cast<size_t>(row), "title");
  CAPTURE(title);
  CHECK(Has(title, "excluding waits for late participants"));
}

}  // namespace stepscope
