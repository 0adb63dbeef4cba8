// What the first line says while two profiles are compared.
#include "viewer/shell/verdict_strip.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "model/compare/compare.h"

namespace stepscope {
namespace {

using compare::Change;
using compare::Significance;

AnalysisResult Comparison(double a, double b, Significance significance, double shared = 100) {
  auto found = std::make_shared<compare::StepComparison>();
  found->change.a.median = a, found->change.b.median = b;
  found->change.test.significance = significance;
  found->found.shared_percent = shared;
  const auto add = [&](const char* name, Change change, double ms) {
    compare::Contribution& c = found->found.rows.emplace_back();
    c.name = name, c.change = change, c.b = ms * static_cast<double>(kPsPerMs);
  };
  add("Relu", Change::kFaster, -0.5);
  add("Conv2D", Change::kSlower, 1.25);
  AnalysisResult r;
  r.SetSource<compare::StepComparison>(std::move(found));
  return r;
}

TEST_CASE("comparison verdict: how much longer or shorter a step is, and by what") {
  const ComparisonVerdict slower = VerdictOf(Comparison(8, 9, Significance::kStrong));
  CHECK(slower.text == "B takes 1 ms (12.5 %) longer a step than A: Conv2D slower, +1.25 ms.");
  CHECK(slower.role == Role::kSlower);
  CHECK(slower.ms_a == 8);
  CHECK(slower.ms_b == 9);
  const ComparisonVerdict faster = VerdictOf(Comparison(10, 9, Significance::kWeak));
  CHECK(faster.text == "B takes 1 ms (10.0 %) less a step than A: Relu faster, -500 \u00b5s.");
  CHECK(faster.role == Role::kFaster);
}

TEST_CASE("comparison verdict: chance and different programs are said, and take no colour") {
  const ComparisonVerdict chance = VerdictOf(Comparison(8, 9, Significance::kNone));
  CHECK(chance.text == "B takes 1 ms (12.5 %) longer a step than A, which may be chance.");
  CHECK(chance.role == Role::kText2);
  const ComparisonVerdict other = VerdictOf(Comparison(8, 90, Significance::kStrong, 12));
  CHECK(other.text == "A and B are hardly the same program: they share 12 % of their work.");
  CHECK(other.role == Role::kText2);
  CHECK(VerdictOf(Comparison(8, 8, Significance::kNone)).text ==
        "A step takes as long in B as in A.");
}

TEST_CASE("comparison verdict: memory snapshots differ in bytes; nothing comparable says nothing") {
  const auto verdict = [](int64_t peak_a, int64_t peak_b) {
    auto found = std::make_shared<compare::SnapshotComparison>();
    found->peak_a = peak_a, found->peak_b = peak_b;
    AnalysisResult memory;
    memory.SetSource<compare::SnapshotComparison>(std::move(found));
    return VerdictOf(memory);
  };
  CHECK(verdict(1 << 20, 4 << 20).text == "B holds 3.000 MiB more at the peak than A.");
  CHECK(verdict(1 << 20, 4 << 20).role == Role::kSlower);
  CHECK(verdict(1 << 20, 1 << 20).text == "B holds as much memory at the peak as A.");
  AnalysisResult empty;
  empty.empty_reason = "A has no events.";
  CHECK(VerdictOf(empty).text.empty());
  CHECK(VerdictOf({}).text.empty());
}

}  // namespace
}  // namespace stepscope
