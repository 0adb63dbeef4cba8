// Kernels that one fused kernel replaces, in traces of PyTorch: what is a sequence and what is not,
// and the saving where shapes are recorded. Pairs of TensorFlow's are in planted_losses.h.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

struct TorchOp {
  const char* name;
  const char* kernel;
  double us;
  const char* dims = "";
};

constexpr const char* kElementwise = "void at::native::vectorized_elementwise_kernel<4>";
constexpr const char* kProduct = "nvjet_tst_128x64";
// 2 * 64 * 1024 * 1024 * 64 operations, and 2 * 8192^3.
constexpr const char* kScores = "[[64, 1024, 64], [64, 64, 1024]]";
constexpr const char* kValues = "[[64, 1024, 1024], [64, 1024, 64]]";
constexpr const char* kLarge = "[[8192, 8192], [8192, 8192]]";
constexpr double kLargeUs = 2000;
// At half the rate of the large product: 512 blocks of 128 rows fill the device.
constexpr double kFusedUs = 4.0 * 64 * 1024 * 1024 * 64 / (2.0 * 8192 * 8192 * 8192) * 2 * kLargeUs;

// Four steps in which the ops follow one another without a gap.
// `optimizer`: an annotation around all but the first op; null: none.
std::string Program(const std::vector<TorchOp>& ops, const char* optimizer) {
  test::KinetoText t;
  int correlation = 0;
  double at = 100;
  for (int step = 0; step < 4; ++step) {
    const double begin = at;
    double launch = begin + 1;
    if (optimizer != nullptr)
      t.Host("user_annotation", optimizer, begin + 4, 3.0 * static_cast<double>(ops.size()));
    for (const TorchOp& op : ops) {
      const std::string dims = op.dims;
      t.Host("cpu_op", op.name, launch, 2, dims.empty() ? "" : "\"Input Dims\":" + dims);
      t.Launch(++correlation, launch + 0.5, 1);
      t.Kernel(op.kernel, correlation, at + 10, op.us);
      at += op.us, launch += 3;
    }
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), begin, at - begin - 0.5);
  }
  return t.Text(test::kH100);
}

AnalysisResult FindingsIn(const std::vector<TorchOp>& ops, const char* optimizer = nullptr) {
  auto trace = LoadBytes("t.json", Program(ops, optimizer), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return FindAll(context, {}, {});
}

std::vector<TorchOp> Eager(const char* softmax = "aten::_softmax",
                           const char* product = "aten::bmm",
                           const char* kernel = "cunn_SoftMaxForward<8>") {
  return {{"aten::mm", kProduct, kLargeUs, kLarge}, {product, kProduct, 300, kScores},
          {"aten::mul", kElementwise, 200},         {softmax, kernel, 500},
          {"aten::copy_", kElementwise, 100},       {product, kProduct, 300, kValues}};
}

int RowOfFusion(const std::vector<TorchOp>& ops, const char* rule = "attention") {
  return test::RowOfRule(FindingsIn(ops), rule);
}

}  // namespace

TEST_CASE("With shapes, fused attention takes its operations at half of the fastest rate") {
  const AnalysisResult with = FindingsIn(Eager());
  const AnalysisResult without = FindingsIn(
      {{"aten::mm", kProduct, kLargeUs, kLarge}, {"aten::_flash", "flash_fwd_kernel", kFusedUs}});
  const int row = test::RowOfRule(with, "attention");
  REQUIRE(row >= 0);
  const double shorter = test::StepMsOf(with) - test::StepMsOf(without);
  CHECK(test::Real(with, "findings", static_cast<size_t>(row), "saving_ms_per_step") ==
        doctest::Approx(shorter).epsilon(0.02));
  CHECK(shorter > 1.2);
  CHECK(test::Text(with, "findings", static_cast<size_t>(row), "remedy")
            .find("scaled_dot_product_attention") != std::string::npos);
  CHECK(test::RowOfRule(without, "attention") < 0);
}

namespace {

double SavingOf(const AnalysisResult& found) {
  const int row = test::RowOfRule(found, "attention");
  REQUIRE(row >= 0);
  return test::Real(found, "findings", static_cast<size_t>(row), "saving_ms_per_step");
}

// Unfused attention of `heads` heads of 64 over `rows` rows.
std::vector<TorchOp> AttentionOf(int heads, int rows, const char* kernel, std::string* scores,
                                 std::string* values) {
  const std::string h = std::to_string(heads), r = std::to_string(rows);
  *scores = "[[" + h + ", " + r + ", 64], [" + h + ", 64, " + r + "]]";
  *values = "[[" + h + ", " + r + ", " + r + "], [" + h + ", " + r + ", 64]]";
  return {{"aten::mm", kProduct, kLargeUs, kLarge},
          {"aten::bmm", kernel, 300, scores->c_str()},
          {"aten::_softmax", "cunn_SoftMaxForward<8>", 500},
          {"aten::bmm", kernel, 300, values->c_str()}};
}

double FlopsUs(double heads, double rows) {
  return 4 * heads * rows * rows * 64 / (2.0 * 8192 * 8192 * 8192) * 2 * kLargeUs;
}

}  // namespace

// FlashAttention-2 has 0.45 to 0.54 of the rate of a large product of the same GPU,
// FlashAttention-3 up to 0.9: the pair's shorter step is met within 10 % by either.
TEST_CASE("What fused attention saves is met within 10 %, whichever fused kernel runs") {
  const AnalysisResult with = FindingsIn(Eager());
  for (const double share : {0.45, 0.54, 0.7, 0.9}) {
    CAPTURE(share);
    const AnalysisResult without =
        FindingsIn({{"aten::mm", kProduct, kLargeUs, kLarge},
                    {"aten::_flash", "flash_fwd_kernel", kFusedUs * 0.5 / share}});
    const double shorter = test::StepMsOf(with) - test::StepMsOf(without);
    CHECK(SavingOf(with) == doctest::Approx(shorter).epsilon(0.1));
  }
}

TEST_CASE("Few blocks of rows leave processors without work") {
  const auto saving_of = [](int heads, double us) {
    std::string scores, values;
    std::vector<TorchOp> ops = AttentionOf(heads, 1024, kProduct, &scores, &values);
    const std::vector<TorchOp> one(ops.begin() + 1, ops.end());
    for (int more = 1; more < 10; ++more) ops.insert(ops.end(), one.begin(), one.end());
    for (size_t i = 1; i < ops.size(); ++i) ops[i].us = us;
    return SavingOf(FindingsIn(ops));
  };
  // Four heads of 1024 rows are 32 blocks on 132 processors.
  CHECK(saving_of(4, 30) ==
        doctest::Approx(10 * (90 - FlopsUs(4, 1024) * 132 / 32) / 1000).epsilon(0.01));
  CHECK(saving_of(64, 300) == doctest::Approx(10 * (900 - FlopsUs(64, 1024)) / 1000).epsilon(0.01));
}

TEST_CASE("Each attention has its own shapes, whatever its kernels are called") {
  std::string scores[3], values[3];
  std::vector<TorchOp> ops = AttentionOf(64, 2048, kProduct, &scores[0], &values[0]);
  const std::vector<TorchOp> small = AttentionOf(64, 256, kProduct, &scores[1], &values[1]);
  ops.insert(ops.end(), small.begin() + 1, small.end());
  CHECK(SavingOf(FindingsIn(ops)) ==
        doctest::Approx((2200 - FlopsUs(64, 2048) - FlopsUs(64, 256)) / 1000).epsilon(0.01));
  // The products of a router of experts have the same kernels and no softmax of the first.
  ops.push_back({"aten::bmm", kProduct, 300, "[[1, 4096, 1024], [1, 1024, 8]]"});
  ops.push_back({"aten::_softmax", "cunn_SoftMaxForward<8>", 500});
  ops.push_back({"aten::bmm", kProduct, 300, "[[8, 512, 1024], [8, 1024, 4096]]"});
  CHECK(SavingOf(FindingsIn(ops)) ==
        doctest::Approx((2200 - FlopsUs(64, 2048) - FlopsUs(64, 256)) / 1000).epsilon(0.01));
}

TEST_CASE("A softmax is attention between two batched products only") {
  CHECK(RowOfFusion(Eager()) >= 0);
  CHECK(RowOfFusion(Eager("aten::_softmax_backward_data")) >= 0);
  CHECK(RowOfFusion(Eager("aten::_log_softmax", "aten::bmm",
                          "cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>")) < 0);
  CHECK(RowOfFusion(Eager("aten::_softmax", "aten::mm")) < 0);  // a classifier, a router of experts
  std::vector<TorchOp> apart = Eager();
  apart.insert(apart.begin() + 3, {"aten::topk", "gatherTopK", 10});
  CHECK(RowOfFusion(apart) < 0);
}

TEST_CASE("Recorded shapes tell whether the second product takes the softmax") {
  const auto with = [](const char* scores, const char* values) {
    std::vector<TorchOp> ops = Eager();
    ops[1].dims = scores, ops[5].dims = values;
    ops[5].kernel = "nvjet_tst_64x64";
    return RowOfFusion(ops);
  };
  CHECK(with(kScores, kValues) >= 0);
  CHECK(with("", kValues) >= 0);
  // The gradient of the scores is the second matrix, or transposed.
  CHECK(with(kScores, "[[64, 64, 1024], [64, 1024, 1024]]") >= 0);
  // Routers of experts: their weights are in no product.
  CHECK(with("[[1, 4096, 1024], [1, 1024, 8]]", "[[8, 512, 1024], [8, 1024, 4096]]") < 0);
  CHECK(with("[[8, 512, 1024], [8, 1024, 8]]", "[[8, 512, 1024], [8, 1024, 4096]]") < 0);
}

TEST_CASE("RMS norms and rotary embeddings of PyTorch are found, and their parts alone are not") {
  const std::vector<TorchOp> norm = {
      {"aten::mm", kProduct, 500},     {"aten::to", "direct_copy_kernel_cuda", 50},
      {"aten::pow", kElementwise, 50}, {"aten::mean", "reduce_kernel<MeanOps>", 50},
      {"aten::add", kElementwise, 5},  {"aten::rsqrt", kElementwise, 5},
      {"aten::mul", kElementwise, 60}, {"aten::to", "direct_copy_kernel_cuda", 40},
      {"aten::mul", kElementwise, 40}};
  const AnalysisResult found = FindingsIn(norm);
  const int row = test::RowOfRule(found, "unfused-ops");
  REQUIRE(row >= 0);
  const auto at = static_cast<size_t>(row);
  CHECK(test::Real(found, "findings", at, "saving_ms_per_step") ==
        doctest::Approx(0.24).epsilon(0.01));
  CHECK(test::Int(found, "findings", at, "events") == 4 * 8);
  std::vector<TorchOp> no_mean = norm;
  no_mean.erase(no_mean.begin() + 3);
  CHECK(RowOfFusion(no_mean, "unfused-ops") < 0);
  const std::vector<TorchOp> rotary = {
      {"aten::mm", kProduct, 500},     {"aten::mul", kElementwise, 50},
      {"aten::neg", kElementwise, 20}, {"aten::cat", "CatArrayBatchedCopy", 60},
      {"aten::mul", kElementwise, 50}, {"aten::add", kElementwise, 50}};
  CHECK(RowOfFusion(rotary, "unfused-ops") >= 0);
  std::vector<TorchOp> no_cat = rotary;
  no_cat.erase(no_cat.begin() + 3);
  CHECK(RowOfFusion(no_cat, "unfused-ops") < 0);
}

TEST_CASE("An optimizer of many kernels is found, and a fused one is not") {
  const char* adam = "Optimizer.step#Adam.step";
  // Each kernel takes 10 us for each tensor that it reads or writes.
  const std::vector<TorchOp> eager = {
      {"aten::mm", kProduct, 1000},     {"aten::lerp_", kElementwise, 30},
      {"aten::mul_", kElementwise, 20}, {"aten::addcmul_", kElementwise, 30},
      {"aten::sqrt", kElementwise, 20}, {"aten::div_", kElementwise, 20},
      {"aten::add_", kElementwise, 20}, {"aten::addcdiv_", kElementwise, 40}};
  const std::vector<TorchOp> fused = {
      {"aten::mm", kProduct, 1000},
      {"aten::_fused_adam_", "multi_tensor_apply_kernel<FusedAdamMathFunctor>", 70}};
  const AnalysisResult with = FindingsIn(eager, adam), without = FindingsIn(fused, adam);
  const int row = test::RowOfRule(with, "unfused-ops");
  REQUIRE(row >= 0);
  CHECK(test::Real(with, "findings", static_cast<size_t>(row), "saving_ms_per_step") ==
        doctest::Approx(test::StepMsOf(with) - test::StepMsOf(without)).epsilon(0.02));
  CHECK(test::RowOfRule(without, "unfused-ops") < 0);
  CHECK(test::RowOfRule(FindingsIn(eager), "unfused-ops") < 0);  // no optimizer
  std::vector<TorchOp> large = eager;                            // 180 us are under 5 % of the step
  large[0].us = 3500;
  CHECK(test::RowOfRule(FindingsIn(large, adam), "unfused-ops") < 0);
  large[0].us = 3300;
  CHECK(test::RowOfRule(FindingsIn(large, adam), "unfused-ops") >= 0);
}

}  // namespace stepscope
