#include <doctest/doctest.h>

#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// Four marked steps; `lost` kernels of the second one last an hour.
AnalysisResult FindingsWith(int lost) {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const double at = 1000 + s * 2000;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 1990);
    for (int k = 0; k < 20; ++k) {
      const int id = s * 20 + k + 1;
      t.Launch(id, at + k * 90, 5);
      t.On(0, 7).Kernel("gemm", id, at + k * 90 + 10, s == 1 && k < lost ? 3.6e9 : 80);
    }
  }
  return test::Analyse("t.json", t.Text(), "findings");
}

TEST_CASE("Events whose ends the profiler lost are a finding from the first one on") {
  CHECK(FindingsOfRule(FindingsWith(0), "impossible-durations", FindingSeverity::kNote).empty());
  const auto one =
      FindingsOfRule(FindingsWith(1), "impossible-durations", FindingSeverity::kWarning);
  REQUIRE(one.size() == 1);
  CHECK(one[0] ==
        "1 event of a device's queue lasts beyond the begin of the next one by an impossible time: "
        "the profiler lost its end, and it is cut where the next one begins. t.json: 'gemm' on "
        "'Stream #7' lasts 3\u2009600 s, cut to 90.00 \u00b5s.");
  const auto two =
      FindingsOfRule(FindingsWith(2), "impossible-durations", FindingSeverity::kWarning);
  REQUIRE(two.size() == 1);
  CHECK(two[0].starts_with(
      "2 events of a device's queue last beyond the begin of the next ones by an impossible time: "
      "the profiler lost their ends, and they are cut where the next one begins. t.json: 'gemm'"));
}

TEST_CASE("A lost end leaves the steps as long as they are") {
  const AnalysisResult whole = FindingsWith(0), lost = FindingsWith(2);
  CHECK(test::PropertyReal(lost, "step_ms") ==
        doctest::Approx(test::PropertyReal(whole, "step_ms")).epsilon(0.01));
}

}  // namespace
}  // namespace stepscope
