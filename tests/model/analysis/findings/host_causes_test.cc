// Findings about work of the host: ranges that the program marks, and calls that ask for memory
// inside of many ops.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

// The row of the first finding of the rule, or that of none.
size_t RowOf(const AnalysisResult& findings, const std::string& rule) {
  const ResultTable& table = test::TableOf(findings, "findings");
  size_t row = 0;
  while (row < table.size() && test::Text(findings, "findings", row, "rule") != rule) ++row;
  return row;
}

// Four steps of 1 ms whose kernel of 300 us comes after 600 us in a range.
std::string StepsWithRange(const std::string& range) {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const int at = 1000 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 990);
    t.Host("user_annotation", range, at + 10, 600);
    t.Host("cpu_op", "aten::mm", at + 620, 40).Launch(s + 1, at + 640, 10);
    t.Kernel("gemm", s + 1, at + 660, 300);
  }
  return t.Text(test::kH100);
}

// Four steps of 2 ms: eight ops, each of which asks for memory for 100 us, then launches.
std::string StepsThatAllocate() {
  test::KinetoText t;
  int id = 0;
  for (int s = 0; s < 4; ++s) {
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), 2000 * s, 1990);
    for (int k = 0; k < 8; ++k) {
      const int at = 2000 * s + 10 + 240 * k;
      t.Host("cpu_op", "aten::op" + std::to_string(k), at, 140);
      t.Host("cuda_runtime", "cudaMalloc", at + 10, 100).Launch(++id, at + 120, 10);
      t.Kernel("kernel", id, at + 140, 100);
    }
  }
  return t.Text(test::kH100);
}

}  // namespace

TEST_CASE("A range of the program is not to be compiled but to be done elsewhere") {
  for (const bool own : {true, false}) {
    CAPTURE(own);
    const std::string text = StepsWithRange(own ? "augment" : "Optimizer.step#AdamW.step");
    const AnalysisResult overview = test::Analyse("t.json", text, "overview");
    const Finding& first = overview.findings.front();
    CHECK(first.text.starts_with("Host-bound: "));
    CHECK((first.next_step.find("torch.compile") == std::string::npos) == own);
    CHECK((first.next_step.find("on another thread") != std::string::npos) == own);
    const AnalysisResult findings = test::Analyse("t.json", text, "findings");
    const size_t row = RowOf(findings, "host-op");
    const std::string remedy = test::Text(findings, "findings", row, "remedy");
    CHECK((remedy.find("on another thread") != std::string::npos) == own);
  }
}

TEST_CASE("Calls that ask for memory count whole, in however many ops they are") {
  const AnalysisResult findings = test::Analyse("t.json", StepsThatAllocate(), "findings");
  const size_t row = RowOf(findings, "memory");
  CHECK(test::Text(findings, "findings", row, "title").find("in cudaMalloc") != std::string::npos);
  CHECK(test::Real(findings, "findings", row, "saving_ms_per_step") ==
        doctest::Approx(0.8).epsilon(0.05));
}

}  // namespace stepscope
