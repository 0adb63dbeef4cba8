// The bits that device work computes with (docs/rules.md#precision).
#include "model/analysis/devices/precision.h"

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::KinetoText;

bool AdvisesMixedPrecision(const AnalysisResult& overview) {
  for (const Finding& f : overview.findings) {
    if (f.next_step == "Try mixed precision.") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("precision: recorded types win over names, and no steps are needed") {
  KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10, R"("Input type":["c10::BFloat16","c10::BFloat16"])")
      .Launch(1, 2, 3)
      .Kernel("some_kernel", 1, 20, 30);
  t.Host("cpu_op", "aten::mul", 12, 8, R"("Input type":["float","float"])")
      .Launch(2, 14, 3)
      .Kernel("multiply_half_way", 2, 60, 10);  // the name misleads
  t.Host("cpu_op", "aten::mul", 22, 4)
      .Launch(3, 23, 2)
      .Kernel("k_bf16", 3, 70, 10);                         // only the name tells
  t.Kernel("ncclDevKernel_AllReduce_Sum_bf16", 9, 90, 50);  // a collective computes nothing
  const AnalysisResult overview = test::Analyse("t.json", t.Text(), "overview");
  const Property* share = overview.Find("device_compute_16bit_percent");
  REQUIRE(share != nullptr);
  CHECK(std::get<double>(share->value) == doctest::Approx(80));
  CHECK_FALSE(AdvisesMixedPrecision(overview));
}

TEST_CASE("precision: kernels about which nothing tells the bits have an unknown share") {
  KinetoText t;
  for (int k = 0; k < 30; ++k) t.Kernel("my_kernel", k + 1, 200 * k, 100);
  const AnalysisResult unknown = test::Analyse("t.json", t.Text(), "overview");
  REQUIRE(unknown.Find("device_compute_16bit_percent") != nullptr);
  CHECK(unknown.Find("device_compute_16bit_percent")->value == Value());
  CHECK(unknown.Find("device_compute_32bit_percent")->value == Value());
  CHECK_FALSE(AdvisesMixedPrecision(unknown));
  t.Kernel("volta_sgemm_128x32_nt", 31, 6000, 100);  // one is known: the others count as more
  const AnalysisResult known = test::Analyse("t.json", t.Text(), "overview");
  CHECK(known.Find("device_compute_16bit_percent")->value == Value(0.0));
}

TEST_CASE("precision: mixed precision is advised to programs in 32 bits only") {
  KinetoText wide, narrow;
  for (int k = 0; k < 30; ++k) {  // enough events for a verdict
    wide.Kernel("volta_sgemm_128x32_nt", k + 1, 200 * k, 100);
    narrow.Kernel("nvjet_tst_128x64", k + 1, 200 * k, 100);
  }
  CHECK(AdvisesMixedPrecision(test::Analyse("t.json", wide.Text(), "overview")));
  CHECK_FALSE(AdvisesMixedPrecision(test::Analyse("t.json", narrow.Text(), "overview")));
}

}  // namespace stepscope
