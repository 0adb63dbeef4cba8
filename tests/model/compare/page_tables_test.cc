#include "model/compare/page_tables.h"

#include <doctest/doctest.h>

#include "model/compare/compare.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/hlo_trace.h"
#include "tests/support/table_cells.h"

namespace stepscope::compare {
namespace {

TEST_CASE("ops of XLA's programs are compared by program and name, per step and device") {
  AnalysisContext a(test::HloTrace(20), Definitions::kStepscope),
      b(test::HloTrace(30), Definitions::kStepscope);
  const AnalysisResult result = CompareProfiles(a, b, {});
  REQUIRE(test::TableOf(result, "hlo_ops").size() == 2);
  CHECK(test::Text(result, "hlo_ops", 0, "hlo_op_name") == "dot.1");
  CHECK(test::Text(result, "hlo_ops", 0, "program") == "jit_step");
  CHECK(test::Text(result, "hlo_ops", 0, "change") == "slower");
  const double before = test::Real(result, "hlo_ops", 0, "a_ms_per_step"),
               after = test::Real(result, "hlo_ops", 0, "b_ms_per_step");
  CHECK(after / before == doctest::Approx(1.5));
  CHECK(test::Real(result, "hlo_ops", 0, "delta_ms_per_step") == doctest::Approx(after - before));
  CHECK(test::Text(result, "hlo_ops", 1, "hlo_op_name") == "add.1");
  CHECK(test::Real(result, "hlo_ops", 1, "delta_ms_per_step") == 0);
  CHECK(test::Text(result, "hlo_ops", 1, "change").empty());
  const ResultTable& ops = test::TableOf(result, "hlo_ops");
  CHECK(ops.links[0].rows.size() == 2);
  CHECK(ops.links_b[0].rows.size() == 2);
  CHECK(test::Text(result, "hlo_categories", 0, "category") == "dot");
  CHECK(std::string(PageOf("hlo_ops")) == "hlo_stats");
  CHECK(std::string(PageOf("hlo_categories")) == "hlo_profile");
}

TEST_CASE("an op of one profile alone is added or removed; without programs there is no table") {
  test::GpuProfileOptions options;
  options.steps = 3;
  auto other = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(other.ok());
  AnalysisContext hlo(test::HloTrace(), Definitions::kStepscope),
      none(*other, Definitions::kStepscope);
  const AnalysisResult added = CompareProfiles(none, hlo, {});
  CHECK(test::Text(added, "hlo_ops", 0, "change") == "added");
  const AnalysisResult removed = CompareProfiles(hlo, none, {});
  CHECK(test::Text(removed, "hlo_ops", 0, "change") == "removed");
  CHECK(CompareProfiles(none, none, {}).Table("hlo_ops") == nullptr);
}

}  // namespace
}  // namespace stepscope::compare
