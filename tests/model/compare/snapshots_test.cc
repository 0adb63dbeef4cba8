#include "model/compare/compare.h"

#include <doctest/doctest.h>

#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/table_cells.h"

namespace stepscope::compare {
namespace {

std::shared_ptr<const Trace> LoadHistory(const std::string& bytes, const char* name = "a.pickle") {
  return test::Loaded(name, bytes);
}

std::shared_ptr<const Trace> Training(int64_t leak) {
  return LoadHistory(test::ToPickle(test::MakeTrainingSnapshot(6, 8, leak, false).file));
}

AnalysisResult Compared(std::shared_ptr<const Trace> a, std::shared_ptr<const Trace> b) {
  AnalysisContext of_a(std::move(a), Definitions::kStepscope);
  AnalysisContext of_b(std::move(b), Definitions::kStepscope);
  return CompareProfiles(of_a, of_b, {});
}

TEST_CASE("Two snapshots: the largest growth comes first, by frame and by stack") {
  const AnalysisResult result = Compared(Training(0), Training(3'000'320));
  CHECK(result.empty_reason.empty());
  const std::string frame = test::Text(result, "memory_at_end", 0, "frame");
  CHECK(frame.find("loss_history") != std::string::npos);
  CHECK(test::Text(result, "memory_at_end", 0, "change") == "added");
  CHECK(test::Real(result, "memory_at_end", 0, "a_bytes") == 0);
  CHECK(test::Real(result, "memory_at_end", 0, "delta_bytes") >= 6 * 3'000'320);
  CHECK(test::Text(result, "stacks_at_end", 0, "stack").find("loss_history") != std::string::npos);
  const Property* summary = result.Find("summary");
  REQUIRE(summary != nullptr);
  CHECK(RawValue(summary->value).starts_with("B's peak is "));
  CHECK(result.Find("memory_peak_bytes_a") != nullptr);
}

TEST_CASE("A snapshot and itself: nothing changed") {
  const std::shared_ptr<const Trace> trace = Training(512);
  const AnalysisResult result = Compared(trace, trace);
  for (const char* table : {"memory_at_peak", "stacks_at_peak", "memory_at_end", "stacks_at_end"}) {
    for (size_t r = 0; r < test::TableOf(result, table).size(); ++r)
      CHECK(test::Real(result, table, r, "delta_bytes") == 0);
  }
}

TEST_CASE("A snapshot and a trace cannot be compared; two traces can") {
  test::KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("gemm", 1, 20, 5);
  const std::shared_ptr<const Trace> trace = LoadHistory(t.Text(), "t.json");
  CHECK(Compared(Training(0), trace).empty_reason.starts_with("A is a memory snapshot"));
  CHECK(Compared(trace, Training(0)).empty_reason.starts_with("B is a memory snapshot"));
  CHECK_FALSE(CompareSnapshots(*trace, *trace, {}).has_value());
}

}  // namespace
}  // namespace stepscope::compare
