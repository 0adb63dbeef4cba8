// Many small collectives: which of them are buffers, and that those behind kernels save nothing.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// Steps of 1 ms: a kernel of 600 us, and 15 collectives of 20 us after it or beside it.
AnalysisResult Collectives(const char* name, bool hidden) {
  test::KinetoText t;
  int correlation = 0;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.On(0, 7).Launch(++correlation, at + 1, 2);
    t.Kernel("gemm", correlation, at + 10, 600);
    for (int i = 0; i < 15; ++i) {
      t.On(0, 20).Launch(++correlation, at + 4 + i, 0.5);
      t.Kernel(name, correlation, at + (hidden ? 30 : 615) + 25 * i, 20);
    }
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return FindAll(context, {}, {});
}

}  // namespace

TEST_CASE("Small collectives save their latency, broadcasts of buffers all of their time") {
  const char* reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const char* buffers = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const AnalysisResult reduced = Collectives(reduce, false), sent = Collectives(buffers, false);
  const int a = test::RowOfRule(reduced, "small-collectives");
  const int b = test::RowOfRule(sent, "small-collectives");
  REQUIRE(a >= 0);
  REQUIRE(b >= 0);
  const auto saving = [](const AnalysisResult& result, int row) {
    return test::Real(result, "findings", static_cast<size_t>(row), "saving_ms_per_step");
  };
  CHECK(saving(reduced, a) == doctest::Approx(14 * 0.02));
  CHECK(saving(sent, b) == doctest::Approx(15 * 0.02));
  CHECK(test::Text(reduced, "findings", static_cast<size_t>(a), "remedy").find("bucket_cap_mb") !=
        std::string::npos);
  CHECK(test::Text(sent, "findings", static_cast<size_t>(b), "remedy")
            .find("broadcast_buffers=False") != std::string::npos);
  CHECK(test::RowOfRule(Collectives(reduce, true), "small-collectives") < 0);
}

}  // namespace stepscope
