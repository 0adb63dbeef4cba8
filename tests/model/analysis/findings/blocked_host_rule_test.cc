// A blocked host is named with its op, and saves nothing while the device waits for other things.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// Steps of 1 ms: two kernels with a copy of 500 us by aten::to between them on the host.
// `queued`: the second kernel was launched before the copy began.
AnalysisResult Blocked(bool queued, const AnalysisParams& params = {}) {
  test::KinetoText t;
  int correlation = 0;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Host("cpu_op", "aten::mm", at + 1, 8).Launch(++correlation, at + 2, 2);
    t.Kernel("gemm", correlation, at + 10, 200);
    for (int i = 0; i < 8; ++i) {
      t.Launch(++correlation, at + 5 + i * 0.1, 0.05);
      t.Kernel("gemm", correlation, at + 211 + i, 1);
    }
    const double second = at + (queued ? 11 : 760);
    t.Host("cpu_op", "aten::mm", second, 8).Launch(++correlation, second + 1, 2);
    t.Kernel("gemm", correlation, at + 770, 200);
    t.Host("cpu_op", "aten::to", at + 240, 510);
    t.Host("cuda_runtime", "cudaMemcpyAsync", at + 245, 500);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return FindAll(context, params, {});
}

size_t RowOfBlocked(const AnalysisResult& result, const char* rule) {
  const ResultTable& table = test::TableOf(result, "findings");
  size_t row = 0;
  while (row < table.size() && test::Text(result, "findings", row, "rule") != rule) ++row;
  REQUIRE_MESSAGE(row < table.size(), rule);
  return row;
}

}  // namespace

TEST_CASE("A host that stands in a copy is named with the op that copies") {
  const AnalysisResult found = Blocked(false);
  const size_t row = RowOfBlocked(found, "blocked-host");
  const std::string title = test::Text(found, "findings", row, "title");
  CAPTURE(title);
  CHECK(title.find("cudaMemcpyAsync in aten::to") != std::string::npos);
  CHECK(test::Real(found, "findings", row, "measured") == doctest::Approx(50).epsilon(0.03));
  CHECK(test::Real(found, "findings", row, "saving_ms_per_step") ==
        doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("A blocked host saves nothing while the device waits for queued work") {
  const AnalysisResult found = Blocked(true);
  const size_t row = RowOfBlocked(found, "blocked-host");
  CHECK(test::Real(found, "findings", row, "measured") == doctest::Approx(50).epsilon(0.03));
  CHECK(test::Real(found, "findings", row, "saving_ms_per_step") < 0.02);
  CHECK(test::Text(found, "findings", row, "severity") == "note");
  CHECK(test::Text(found, "findings", row, "title").find("waits for queued work") !=
        std::string::npos);
}

TEST_CASE("A blocked host is that of the steps that are asked for") {
  AnalysisParams last;
  last.steps = StepInterval{2, 3};
  const AnalysisResult found = Blocked(false, last);
  const size_t row = RowOfBlocked(found, "blocked-host");
  CHECK(test::Text(found, "findings", row, "steps") == "2..3");
  CHECK(test::Real(found, "findings", row, "saving_ms_per_step") ==
        doctest::Approx(0.5).epsilon(0.03));
}

}  // namespace stepscope
