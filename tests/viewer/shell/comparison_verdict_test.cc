// What the first line says while two profiles are compared.
#include "viewer/shell/verdict_strip.h"

#include <doctest/doctest.h>

#include <utility>

#include "tests/support/table_rows.h"

namespace stepscope {
namespace {

AnalysisResult Comparison(double a, double b, const char* significance, double shared = 100) {
  AnalysisResult r;
  r.properties = {{"step_ms_a", "A", a, Unit::kMs, ""},
                  {"step_ms_b", "B", b, Unit::kMs, ""},
                  {"delta_ms", "Change", b - a, Unit::kMs, ""},
                  {"delta_percent", "Change", 100 * (b - a) / a, Unit::kPercent, ""},
                  {"significance", "", SharedText(significance), Unit::kNone, ""},
                  {"shared_percent", "", shared, Unit::kPercent, ""}};
  ResultTable t;
  t.id = "contributions";
  t.SetColumns({{"name", "What", Unit::kNone, ValueType::kString, ""},
                {"change", "Change", Unit::kNone, ValueType::kString, ""},
                {"delta_ms_per_step", "Delta", Unit::kMs, ValueType::kReal, ""}});
  test::SetRows(&t, {{SharedText("Relu"), SharedText("faster"), -0.5},
                     {SharedText("Conv2D"), SharedText("slower"), 1.25}});
  r.tables.push_back(std::move(t));
  return r;
}

TEST_CASE("comparison verdict: how much longer or shorter a step is, and by what") {
  const ComparisonVerdict slower = VerdictOf(Comparison(8, 9, "strong"));
  CHECK(slower.text == "B takes 1 ms (12.5 %) longer a step than A: Conv2D slower, +1.25 ms.");
  CHECK(slower.role == Role::kSlower);
  CHECK(slower.ms_a == 8);
  CHECK(slower.ms_b == 9);
  const ComparisonVerdict faster = VerdictOf(Comparison(10, 9, "weak"));
  CHECK(faster.text == "B takes 1 ms (10.0 %) less a step than A: Relu faster, -500 \u00b5s.");
  CHECK(faster.role == Role::kFaster);
}

TEST_CASE("comparison verdict: chance and different programs are said, and take no colour") {
  const ComparisonVerdict chance = VerdictOf(Comparison(8, 9, "none"));
  CHECK(chance.text == "B takes 1 ms (12.5 %) longer a step than A, which may be chance.");
  CHECK(chance.role == Role::kText2);
  const ComparisonVerdict other = VerdictOf(Comparison(8, 90, "strong", 12));
  CHECK(other.text == "A and B are hardly the same program: they share 12 % of their work.");
  CHECK(other.role == Role::kText2);
  CHECK(VerdictOf(Comparison(8, 8, "none")).text == "A step takes as long in B as in A.");
}

TEST_CASE("comparison verdict: memory snapshots differ in bytes; nothing comparable says nothing") {
  AnalysisResult memory;
  memory.properties = {{"delta_bytes", "", 3.0 * (1 << 20), Unit::kBytes, ""}};
  CHECK(VerdictOf(memory).text == "B holds 3.000 MiB more at the peak than A.");
  CHECK(VerdictOf(memory).role == Role::kSlower);
  memory.properties[0].value = 0.0;
  CHECK(VerdictOf(memory).text == "B holds as much memory at the peak as A.");
  AnalysisResult empty;
  empty.empty_reason = "A has no events.";
  CHECK(VerdictOf(empty).text.empty());
  CHECK(VerdictOf({}).text.empty());
}

}  // namespace
}  // namespace stepscope
