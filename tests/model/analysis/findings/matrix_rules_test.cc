// The remedies of the rule `matrix-units` fit the device: a Tesla V100 has no TF32 and no bfloat16.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// `major`: of the compute capability; 0: not recorded.
std::string Device(const char* name, int major) {
  const std::string capability =
      major > 0 ? ",\"computeMajor\":" + std::to_string(major) : std::string();
  return R"({"id":0,"name":")" + std::string(name) +
         R"(","totalGlobalMem":16945512448,"numSms":80)" + capability + "}";
}

AnalysisResult FindingsOn(const std::string& device, const char* op, const char* kernel) {
  test::KinetoText t;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Host("cpu_op", op, at + 1, 5).Launch(step + 1, at + 2, 2);
    t.Kernel(kernel, step + 1, at + 10, 950);
  }
  auto trace = LoadBytes("t.json", t.Text(device), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return FindAll(context, {}, {}, {});
}

std::string RemedyOn(const std::string& device) {
  const AnalysisResult found = FindingsOn(device, "CompiledFunction", "volta_sgemm_128x32_nt");
  const int row = test::RowOfRule(found, "matrix-units");
  REQUIRE(row >= 0);
  return test::Text(found, "findings", static_cast<size_t>(row), "remedy");
}

bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("A device is advised what its matrix units take") {
  const std::string volta = RemedyOn(Device("Tesla V100-SXM2-16GB", 7));
  CHECK(Has(volta, "float16"));
  CHECK_FALSE(Has(volta, "or TF32"));
  CHECK_FALSE(Has(volta, "dtype=torch.bfloat16"));
  CHECK_FALSE(Has(RemedyOn(Device("Tesla V100-SXM2-16GB", 0)), "or TF32"));
  const std::string ampere = RemedyOn(Device("NVIDIA A100-SXM4-40GB", 8));
  CHECK(Has(ampere, "TF32"));
  CHECK(Has(ampere, "bfloat16"));
  CHECK_FALSE(Has(RemedyOn(Device("AMD Instinct MI300X", 9)), "TF32"));
}

TEST_CASE("Kernels beside a product, and products with a vector, could not use matrix units") {
  const std::string a100 = Device("NVIDIA A100-SXM4-40GB", 8);
  const auto row = [&](const char* op, const char* kernel) {
    return test::RowOfRule(FindingsOn(a100, op, kernel), "matrix-units");
  };
  CHECK(row("aten::mm", "ampere_sgemm_128x64_nn") >= 0);
  CHECK(row("aten::mm", "gemv2T_kernel_val<float>") < 0);
  CHECK(row("aten::addmm", "elementwise_kernel<direct_copy_kernel_cuda>") < 0);
  CHECK(row("aten::mm", "splitKreduce_kernel<32, 16, int, float>") < 0);
  CHECK(row("aten::mm", "ampere_dgemm_128x64_nn") < 0);
  CHECK(row("my::op", "mystery_kernel") < 0);
}

TEST_CASE("16 bits are no advice to a program that hardly computes") {
  const auto row = [](double compute_us) {
    test::KinetoText t;
    for (int step = 0; step < 4; ++step) {
      const double at = 100 + 1000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
      t.Host("cpu_op", "aten::mm", at + 900 - compute_us, 5);
      t.Launch(step + 1, at + 901 - compute_us, 2);
      t.Kernel("cutlass_80_tensorop_s1688gemm_128x128_nn_align4", step + 1, at + 990 - compute_us,
               compute_us);
    }
    auto trace = LoadBytes("t.json", t.Text(Device("NVIDIA A100-SXM4-40GB", 8)), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    return test::RowOfRule(FindAll(context, {}, {}, {}), "precision");
  };
  CHECK(row(40) < 0);    // 4 % of each step
  CHECK(row(800) >= 0);  // 80 %
}

TEST_CASE("A kernel whose name does not tell is not taken as one without matrix units") {
  const std::string a100 = Device("NVIDIA A100-SXM4-40GB", 8);
  const auto row = [&](const char* op, const char* kernel) {
    return test::RowOfRule(FindingsOn(a100, op, kernel), "matrix-units");
  };
  CHECK(row("aten::mm", "mystery_kernel") < 0);
  CHECK(row("aten::mm", "triton_tem_fused_mm_0") < 0);
  CHECK(row("aten::addmm", "epilogue::impl::globalKernel<float>") < 0);
  CHECK(row("aten::mm", "cutlass_80_simt_sgemm_128x32_8x5_nn_align1") >= 0);

  // Beside kernels that are without, those of unknown names are said and not counted.
  test::KinetoText t;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Host("cpu_op", "aten::mm", at + 1, 9);
    t.Launch(2 * step + 1, at + 2, 2).Launch(2 * step + 2, at + 6, 2);
    t.Kernel("ampere_sgemm_128x64_nn", 2 * step + 1, at + 10, 300);
    t.Kernel("mystery_kernel", 2 * step + 2, at + 310, 600);
  }
  auto trace = LoadBytes("t.json", t.Text(a100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult found = FindAll(context, {}, {}, {});
  const int at = test::RowOfRule(found, "matrix-units");
  REQUIRE(at >= 0);
  const size_t r = static_cast<size_t>(at);
  CHECK(test::Real(found, "findings", r, "saving_ms_per_step") == doctest::Approx(0.2));
  CHECK(Has(test::Text(found, "findings", r, "assumption"), "take another 0.60 ms"));
}

}  // namespace stepscope
