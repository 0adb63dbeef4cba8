// The remedies of the rule `matrix-units` fit the device: a Tesla V100 has no TF32 and no bfloat16.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/has_text.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::Has;

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
  return FindAll(context, {}, {});
}

std::string RemedyOn(const std::string& device) {
  const AnalysisResult found = FindingsOn(device, "CompiledFunction", "volta_sgemm_128x32_nt");
  const int row = test::RowOfRule(found, "matrix-units");
  REQUIRE(row >= 0);
  return test::Text(found, "findings", static_cast<size_t>(row), "remedy");
}

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
    return test::RowOfRule(FindAll(context, {}, {}), "precision");
  };
  CHECK(row(40) < 0);    // 4 % of each step
  CHECK(row(800) >= 0);  // 80 %
}

TEST_CASE("16 bits are no advice to a program that computes in 64") {
  const std::string a100 = Device("NVIDIA A100-SXM4-40GB", 8);
  const auto row = [&](const char* kernel) {
    return test::RowOfRule(FindingsOn(a100, "aten::mm", kernel), "precision");
  };
  CHECK(row("cutlass_80_tensorop_s1688gemm_128x128_nn_align4") >= 0);
  CHECK(row("cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1") < 0);
  CHECK(row("cutlass_80_tensorop_f64_gemm_64x64_16x4_nn_align1") < 0);
  CHECK(row("ampere_dgemm_128x64_nn") < 0);
  CHECK(row("void at::native::vectorized_elementwise_kernel<4, MulFunctor<double>>") < 0);
}

namespace {

// Whether the rule `alignment` reports a product of two matrices with these recorded arguments.
// `gradient`: the op is inside a function of autograd.
bool ReportsAlignment(const char* kernel, const std::string& args, const char* op = "aten::mm",
                      bool gradient = false, const char* device = "NVIDIA A100-SXM4-40GB") {
  test::KinetoText t;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    if (gradient) t.Host("cpu_op", "autograd::engine::evaluate_function: MmBackward0", at + 0.5, 9);
    t.Host("cpu_op", op, at + 1, 5, args).Launch(step + 1, at + 2, 2);
    t.Kernel(kernel, step + 1, at + 10, 950);
  }
  const std::string facts = Device(device, std::string(device).find("P100") == 0 ? 6 : 8);
  auto trace = LoadBytes("t.json", t.Text(facts), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return test::RowOfRule(FindAll(context, {}, {}), "alignment") >= 0;
}

std::string Half(const char* dims, const char* strides = nullptr) {
  const std::string text =
      std::string("\"Input Dims\":") + dims + R"(,"Input type":["c10::BFloat16","c10::BFloat16"])";
  return strides == nullptr ? text : text + ",\"Input Strides\":" + strides;
}

constexpr const char* kSilent = "ampere_bf16_s16816gemm_bf16_128x64_f2f_stages_64x4_nn";

}  // namespace

TEST_CASE("Recorded shapes tell rows that are not aligned, where the kernel's name does not") {
  CHECK(ReportsAlignment(kSilent, Half("[[4096, 1001], [1001, 512]]")));
  CHECK(ReportsAlignment(kSilent, Half("[[4096, 1024], [1024, 1001]]")));
  CHECK(ReportsAlignment("my_product_kernel", Half("[[4096, 1001], [1001, 512]]")));
  CHECK_FALSE(ReportsAlignment(kSilent, Half("[[4096, 1024], [1024, 512]]")));
  CHECK_FALSE(ReportsAlignment(kSilent, Half("[[4097, 1024], [1024, 512]]")));  // rows follow rows
  CHECK_FALSE(ReportsAlignment(kSilent, ""));
  // Four elements of 32 bits have 16 bytes.
  CHECK_FALSE(
      ReportsAlignment("cutlass_tensorop_s1688gemm_128x128",
                       R"("Input Dims":[[64,1004],[1004,64]],"Input type":["float","float"])"));
  // The name is nearer to what happens than shapes are.
  CHECK_FALSE(ReportsAlignment("cutlass_80_tensorop_bf16_s16816gemm_bf16_nn_align8",
                               Half("[[4096, 1001], [1001, 512]]")));
  CHECK(ReportsAlignment("cutlass_80_tensorop_bf16_s16816gemm_bf16_nn_align1",
                         Half("[[4096, 1024], [1024, 512]]")));
  // A product with a vector, sums, and a GPU without the units.
  CHECK_FALSE(ReportsAlignment(kSilent, Half("[[4096, 1001], [1001, 1]]")));
  CHECK_FALSE(ReportsAlignment("reduce_kernel<512>", Half("[[4096, 1001], [1001, 512]]")));
  CHECK_FALSE(ReportsAlignment("my_product_kernel", Half("[[4096, 1001], [1001, 512]]"), "aten::mm",
                               false, "P100"));
}

TEST_CASE("Strides tell which side of a matrix is a row; a gradient's inputs are transposed") {
  const char* dims = "[[512, 1001], [1001, 1024]]";
  CHECK(ReportsAlignment(kSilent, Half(dims, "[[1001, 1], [1024, 1]]")));
  CHECK_FALSE(ReportsAlignment(kSilent, Half(dims, "[[1, 512], [1024, 1]]")));
  CHECK_FALSE(ReportsAlignment(kSilent, Half(dims), "aten::mm", true));
  CHECK(ReportsAlignment(kSilent, Half(dims), "aten::mm", false));
  CHECK(ReportsAlignment(kSilent, Half("[[512, 1024], [1024, 1001]]"), "aten::mm", true));
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
  const AnalysisResult found = FindAll(context, {}, {});
  const int at = test::RowOfRule(found, "matrix-units");
  REQUIRE(at >= 0);
  const size_t r = static_cast<size_t>(at);
  CHECK(test::Real(found, "findings", r, "saving_ms_per_step") == doctest::Approx(0.2));
  CHECK(Has(test::Text(found, "findings", r, "assumption"), "take another 0.60 ms"));
}

TEST_CASE("Dimensions that a matrix unit does not go along are not named") {
  const auto title = [](const char* op, const char* dims) {
    test::KinetoText t;
    for (int step = 0; step < 4; ++step) {
      const double at = 100 + 1000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
      t.Host("cpu_op", op, at + 1, 5, std::string("\"Input Dims\":") + dims);
      t.Launch(step + 1, at + 2, 2);
      t.Kernel("void implicit_convolve_sgemm<float, float, 1024, 6, 7>(int)", step + 1, at + 10,
               950);
    }
    const auto trace = LoadBytes("t.json", t.Text(Device("Tesla V100-SXM2-16GB", 7)), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const AnalysisResult found = FindAll(context, {}, {});
    const int row = test::RowOfRule(found, "matrix-units");
    REQUIRE(row >= 0);
    return test::Text(found, "findings", static_cast<size_t>(row), "title");
  };
  const char* conv = "aten::cudnn_convolution";
  CHECK_FALSE(Has(title(conv, "[[32, 256, 14, 14], [1024, 256, 1, 1]]"), "multiples"));
  CHECK_FALSE(Has(title(conv, "[[33, 64, 7, 7], [64, 32, 3, 3]]"), "multiples"));  // 2 groups
  CHECK_FALSE(Has(title(conv, "[[33, 100, 7, 7], [100, 1, 3, 3]]"), "multiples"));
  CHECK(Has(title(conv, "[[32, 3, 224, 224], [64, 3, 7, 7]]"),
            "; its channels, 3 and 64, are not all multiples of 8"));
  CHECK(Has(
      title("aten::convolution_backward", "[[32, 64, 112, 112], [32, 3, 224, 224], [64, 3, 7, 7]]"),
      "its channels, 3 and 64"));
  // Of a transposed convolution, and of other ops, it is not known which dimension is which.
  CHECK_FALSE(Has(title(conv, "[[32, 30, 7, 7], [30, 15, 3, 3]]"), "multiples"));
  CHECK_FALSE(Has(title("my::conv", "[[32, 14, 14]]"), "multiples"));
  CHECK_FALSE(Has(title("aten::_efficient_attention_forward", "[[2, 77, 8, 64], [2, 77, 8, 64]]"),
                  "multiples"));
  CHECK(Has(title("aten::mm", "[[128, 63], [63, 8]]"),
            "; its dimensions [[128,63],[63,8]] are not all multiples of 8"));
  CHECK_FALSE(Has(title("aten::mm", "[[127, 64], [64, 8]]"), "multiples"));  // rows follow rows
}

TEST_CASE("The rules of 16 bits and of matrix units are silent where whole graphs do the work") {
  const auto found = [](double graph_us) {
    test::KinetoText t;
    for (int step = 0; step < 4; ++step) {
      const double at = 100 + 1000 * step;
      t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
      t.Host("cpu_op", "aten::mm", at + 1, 5).Launch(2 * step + 1, at + 2, 2);
      t.Launch(2 * step + 2, at + 8, 2, "cudaGraphLaunch");
      const double each = (900 - graph_us) / 2;
      t.Kernel("ampere_sgemm_128x64_nn", 2 * step + 1, at + 15, each);
      t.Kernel("cutlass_80_tensorop_s1688gemm_128x128_nn_align4", 2 * step + 1, at + 16 + each,
               each);
      t.Kernel("CUDA graph 5", 2 * step + 2, at + 20 + 2 * each, graph_us);
    }
    const auto trace = LoadBytes("t.json", t.Text(Device("NVIDIA A100-SXM4-40GB", 8)), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    const AnalysisResult rules = FindAll(context, {}, {});
    const auto overview = context.Get("overview");
    bool says_unknown = false, advises = false;
    for (const Finding& f : overview->findings) {
      says_unknown = says_unknown || Has(f.text, "the share of 16 bits is unknown");
      advises = advises || Has(f.next_step, "mixed precision");
    }
    CHECK(says_unknown != advises);
    const bool both =
        test::RowOfRule(rules, "precision") >= 0 && test::RowOfRule(rules, "matrix-units") >= 0;
    const bool none =
        test::RowOfRule(rules, "precision") < 0 && test::RowOfRule(rules, "matrix-units") < 0;
    CHECK(both != none);
    CHECK(none == says_unknown);
    return both;
  };
  CHECK(found(100));
  CHECK_FALSE(found(800));
}

}  // namespace stepscope
