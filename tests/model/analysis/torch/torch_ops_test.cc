// PyTorch's ops: kernels belong to the innermost op with a formula, and share what it costs.
#include "model/analysis/torch/torch_ops.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::KinetoText;

constexpr const char* kMm =
    R"("Input Dims":[[1000,1000],[1000,1000]],"Input type":["c10::BFloat16","c10::BFloat16"])";
constexpr double kMmFlops = 2e9;

// Two steps of 100 us; in each, a linear layer whose mm runs two kernels and a fill.
std::string TwoSteps() {
  KinetoText t;
  for (int k = 0; k < 2; ++k) {
    const double at = 100 * k;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(k), at, 100);
    t.Host("cpu_op", "aten::linear", at, 30, kMm);
    t.Host("cpu_op", "aten::mm", at + 1, 28, kMm);
    t.Launch(3 * k + 1, at + 2, 3).Launch(3 * k + 2, at + 6, 3).Launch(3 * k + 3, at + 10, 3);
    t.Device("gpu_memset", "Memset (Device)", 3 * k + 1, at + 20, 2);
    t.Kernel("splitk_gemm", 3 * k + 2, at + 30, 6).Kernel("reduce", 3 * k + 3, at + 40, 2);
    t.Kernel("nobody_knows", 900 + k, at + 50, 10);
  }
  return t.Text(test::kH100);
}

std::shared_ptr<const Trace> Load(const std::string& text) { return test::Loaded("t.json", text); }

const TorchOp& Find(const TorchOps& ops, std::string_view operation) {
  for (const TorchOp& op : ops.ops) {
    if (op.operation == operation) return op;
  }
  FAIL("no op " << operation);
  return ops.ops.front();
}

}  // namespace

TEST_CASE("The innermost op with a formula has the kernels; nothing counts twice") {
  AnalysisContext context(Load(TwoSteps()), Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  REQUIRE(ops.ops.size() == 2);
  const TorchOp& mm = Find(ops, "aten::mm");
  CHECK(mm.calls == 2);
  CHECK(mm.time == 20 * kPsPerUs);
  CHECK(mm.flops == doctest::Approx(2 * kMmFlops));
  CHECK(mm.bytes == doctest::Approx(2 * 3 * 2e6));
  CHECK(mm.peak_tflops == 989);
  CHECK(mm.peak_of == "bf16 matrix");
  const TorchOp& none = Find(ops, "(no op)");
  CHECK(none.time == 20 * kPsPerUs);
  CHECK_FALSE(none.cost);
  CHECK(ops.unknown == none.time);
  CHECK(ops.total == 40 * kPsPerUs);
}

TEST_CASE("Adjoining parts of a trace add up to it") {
  AnalysisContext context(Load(TwoSteps()), Definitions::kStepscope);
  double flops = 0;
  uint64_t calls = 0;
  for (const TimeRange range :
       {TimeRange{0, 35 * kPsPerUs}, TimeRange{35 * kPsPerUs, 400 * kPsPerUs}}) {
    AnalysisParams params;
    params.range = range;
    for (const TorchOp& op : TorchOps::Compute(context, params).ops)
      flops += op.flops, calls += op.operation == "aten::mm" ? op.calls : 0;
  }
  CHECK(flops == doctest::Approx(2 * kMmFlops));
  CHECK(calls == 2);
}

TEST_CASE("All that runs inside a convolution counts for it") {
  KinetoText t;
  const char* x = R"("Input Dims":[[1,3,8,8],[4,3,1,1],[4],[],[],[],[],[],[]],)"
                  R"("Input type":["float","float","float","","","","","",""],)"
                  R"("Concrete Inputs":["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"])";
  t.Host("cpu_op", "aten::convolution", 0, 50, x);
  t.Host("cpu_op", "aten::cudnn_convolution", 1, 20,
         R"("Input Dims":[[1,3,8,8],[4,3,1,1]],"Input type":["float","float"])");
  t.Launch(1, 2, 3).Kernel("conv", 1, 60, 10);
  t.Host("cpu_op", "aten::add_", 30, 10,
         R"("Input Dims":[[1,4,8,8],[1,4,1,1]],"Input type":["float","float"])");
  t.Launch(2, 31, 3).Kernel("add", 2, 80, 5);
  AnalysisContext context(Load(t.Text()), Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  REQUIRE(ops.ops.size() == 1);
  CHECK(ops.ops[0].operation == "aten::convolution");
  CHECK(ops.ops[0].time == 15 * kPsPerUs);
  CHECK(ops.ops[0].flops == doctest::Approx(2.0 * 4 * 3 * 64));
  CHECK(ops.ops[0].peak_tflops == 0);  // of no known device
}

TEST_CASE("Convolutions of equal shapes have the costs of their own strides") {
  KinetoText t;
  for (int i = 0; i < 4; ++i) {
    const std::string stride = i % 2 == 0 ? "[1, 1]" : "[2, 2]";
    t.Host("cpu_op", "aten::convolution", 100 * i, 50,
           R"("Input Dims":[[1,3,8,8],[4,3,1,1],[4],[],[],[],[],[],[]],)"
           R"("Input type":["float","float","float","","","","","",""],)"
           R"("Concrete Inputs":["","","",")" +
               stride + R"(","[0, 0]","[1, 1]","False","[0, 0]","1"])");
    t.Launch(i + 1, 100 * i + 1, 3).Kernel("conv", i + 1, 100 * i + 60, 10);
  }
  AnalysisContext context(Load(t.Text()), Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  REQUIRE(ops.ops.size() == 2);
  CHECK(ops.ops[0].flops + ops.ops[1].flops == doctest::Approx(2 * 2.0 * 4 * 3 * (64 + 16)));
  CHECK(ops.ops[0].calls == 2);
}

TEST_CASE("Peaks are those of the element's type; float32 is TF32 only where kernels say so") {
  AnalysisContext context(Load(TwoSteps()), Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  REQUIRE(ops.peaks);
  const auto peak = [&](TorchEngine engine, const char* type, bool tf32) {
    return PeakOf(&ops.peaks->numbers, engine, type, tf32).tflops;
  };
  CHECK(peak(TorchEngine::kMatrix, "float", false) == 67);
  CHECK(peak(TorchEngine::kMatrix, "float", true) == 495);
  CHECK(peak(TorchEngine::kMatrix, "double", false) == 67);
  CHECK(peak(TorchEngine::kVector, "double", false) == 34);
  CHECK(peak(TorchEngine::kVector, "c10::Half", false) == 67);
  CHECK(peak(TorchEngine::kMatrix, "c10::Float8_e4m3fn", false) == 1979);
  CHECK(peak(TorchEngine::kNetwork, "float", false) == 0);
  CHECK(PeakOf(nullptr, TorchEngine::kMatrix, "float", false).tflops == 0);
}

TEST_CASE("The roofline of a PyTorch trace has its ops with rates and limits") {
  const AnalysisResult page = test::Analyse("t.json", TwoSteps(), "roofline");
  const ResultTable* table = page.Table("torch_ops");
  REQUIRE(table);
  REQUIRE(table->size() == 2);
  const auto cell = [&](size_t row, const char* column) {
    return table->columns[static_cast<size_t>(table->Column(column))].values.Own(row);
  };
  const size_t mm = cell(0, "operation") == Value(std::string("aten::mm")) ? 0 : 1;
  CHECK(std::get<double>(cell(mm, "tflops_per_s")) == doctest::Approx(2 * kMmFlops / 20e-6 / 1e12));
  CHECK(std::get<double>(cell(mm, "gb_per_s")) == doctest::Approx(12e6 / 20e-6 / 1e9));
  CHECK(cell(mm, "bound_by") == Value(std::string("Compute")));
  CHECK(std::get<double>(cell(mm, "of_limit")) == doctest::Approx(2 * kMmFlops / 989e12 / 20e-6));
  CHECK(cell(1 - mm, "flops") == Value());  // unknown is not 0
  CHECK(std::get<double>(page.Find("unknown_cost_percent")->value) == doctest::Approx(50));
}

TEST_CASE("The overview says which part of the device's peak a step uses") {
  AnalysisContext context(Load(TwoSteps()), Definitions::kStepscope);
  const auto page = context.Get("overview");
  REQUIRE(page->Find("mfu_percent"));
  const double step_ms = std::get<double>(page->Find("steptime_ms_average")->value);
  CHECK(std::get<double>(page->Find("flops_per_step")->value) == doctest::Approx(kMmFlops));
  CHECK(std::get<double>(page->Find("mfu_percent")->value) ==
        doctest::Approx(100 * kMmFlops / 989e12 / (step_ms * 1e-3)));
  AnalysisContext xprof(Load(TwoSteps()), Definitions::kXprof);
  CHECK_FALSE(xprof.Get("overview")->Find("mfu_percent"));
}

TEST_CASE("Peaks of the user make limits and utilisation, also of a device that nobody knows") {
  KinetoText t;
  t.Host("user_annotation", "ProfilerStep#0", 0, 100).Host("cpu_op", "aten::mm", 1, 28, kMm);
  t.Launch(1, 2, 3).Kernel("gemm", 1, 30, 50);
  t.Host("user_annotation", "ProfilerStep#1", 100, 100).Host("cpu_op", "aten::mm", 101, 28, kMm);
  t.Launch(2, 102, 3).Kernel("gemm", 2, 130, 50);
  AnalysisContext context(Load(t.Text()), Definitions::kStepscope);
  CHECK(TorchOps::Compute(context, {}).ops[0].peak_tflops == 0);
  AnalysisParams params;
  params.peaks = ParseOwnPeaks(DeviceNameOf(context.trace()) + ": bf16=80 memory=1000").value();
  const TorchOps ops = TorchOps::Compute(context, params);
  CHECK(ops.ops[0].peak_tflops == 80);
  const auto page = context.Get("roofline", params);
  const ResultTable* table = page->Table("torch_ops");
  REQUIRE(table);
  const int limit = table->Column("of_limit");
  // 2 * 2 GFLOP in 2 * 50 us are 40 TFLOP/s.
  CHECK(std::get<double>(table->At(0, static_cast<size_t>(limit))) == doctest::Approx(0.5));
  CHECK(std::get<double>(context.Get("overview", params)->Find("mfu_percent")->value) > 0);
  CHECK(context.Get("overview")->Find("mfu_percent")->value == Value());
}

TEST_CASE("Without devices the calls are the work") {
  KinetoText t;
  t.Host("cpu_op", "aten::linear", 0, 30, kMm).Host("cpu_op", "aten::mm", 1, 28, kMm);
  AnalysisContext context(Load(t.Text()), Definitions::kStepscope);
  const TorchOps ops = TorchOps::Compute(context, {});
  REQUIRE(ops.ops.size() == 1);
  CHECK(ops.on_cpu);
  CHECK(ops.ops[0].operation == "aten::mm");
  CHECK(ops.ops[0].time == 28 * kPsPerUs);
}

}  // namespace stepscope
