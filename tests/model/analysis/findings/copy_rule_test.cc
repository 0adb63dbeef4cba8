// Copies of pageable memory are told by the ops that ask for them.
#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

void Copy(const char* op, double at, double us, int correlation, test::KinetoText* t) {
  t->Host("cpu_op", op, at, us + 6).Launch(correlation, at + 1, us + 4, "cudaMemcpyAsync");
  t->Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", correlation, at + 3, us,
            "\"bytes\":4194304");
}

// Steps of 1 ms with 300 us of copies by aten::to and 100 us by aten::index.
std::string Title() {
  test::KinetoText t;
  int correlation = 0;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    for (int i = 0; i < 3; ++i) Copy("aten::to", at + 5 + 110 * i, 100, ++correlation, &t);
    Copy("aten::index", at + 340, 100, ++correlation, &t);
    for (int i = 0; i < 5; ++i) {
      t.Launch(++correlation, at + 450 + i, 0.5);
      t.Kernel("gemm", correlation, at + 460 + 100 * i, 100);
    }
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult found = FindAll(context, {}, {});
  const int row = test::RowOfRule(found, "copies");
  REQUIRE(row >= 0);
  return test::Text(found, "findings", static_cast<size_t>(row), "title");
}

// What is found in steps of 1 ms in which 300 us of copies are hidden by nothing.
AnalysisResult WithCopies(const char* copy, const char* page) {
  test::KinetoText t;
  for (int step = 0; step < 4; ++step) {
    const double at = 100 + 1000 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 999);
    t.Launch(2 * step + 1, at + 1, 2, "cudaMemcpyAsync").Launch(2 * step + 2, at + 4, 2);
    t.Device("gpu_memcpy", copy, 2 * step + 1, at + 10, 300, "\"bytes\":4194304");
    t.Kernel("gemm", 2 * step + 2, at + 310, 690);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return *context.Get(page);
}

}  // namespace

TEST_CASE("Copies of pinned memory get no advice to pin it, others do") {
  const auto text = [](const char* copy, const char* column) {
    const AnalysisResult found = WithCopies(copy, "findings");
    const int row = test::RowOfRule(found, "copies");
    REQUIRE(row >= 0);
    return test::Text(found, "findings", static_cast<size_t>(row), column);
  };
  const auto has = [](const std::string& said, const char* part) {
    return said.find(part) != std::string::npos;
  };
  constexpr const char* kPinned = "Memcpy HtoD (Pinned -> Device)";
  constexpr const char* kPageable = "Memcpy HtoD (Pageable -> Device)";
  CHECK(has(text(kPinned, "title"), "from pinned memory"));
  CHECK_FALSE(has(text(kPinned, "title"), "blocks the host"));
  CHECK_FALSE(has(text(kPinned, "remedy"), "pinned"));
  CHECK(has(text(kPageable, "title"), "from pageable memory, which blocks the host"));
  CHECK(has(text(kPageable, "remedy"), "pinned"));
}

TEST_CASE("Copies to the device are part of a step's infeed, and copies among the losses") {
  const AnalysisResult overview = WithCopies("Memcpy HtoD (Pinned -> Device)", "overview");
  // The first step begins with its first event.
  CHECK(test::Real(overview, "steps", 1, "infeedTimeMs") == doctest::Approx(0.3));
  CHECK(test::Real(overview, "step_losses", 1, "copies") == doctest::Approx(0.3));
  CHECK(test::PropertyText(overview, "verdict") == "copies");
  CHECK(std::get<double>(overview.Find("copies_percent")->value) ==
        doctest::Approx(30).epsilon(0.05));
}

TEST_CASE("Copies of pageable memory are told by call site") {
  const std::string title = Title();
  CAPTURE(title);
  CHECK(title.find("4 copies per step, 4.0 MiB each, from pageable memory") != std::string::npos);
  CHECK(title.find("for aten::to 75 %, aten::index 25 %") != std::string::npos);
}

}  // namespace stepscope
