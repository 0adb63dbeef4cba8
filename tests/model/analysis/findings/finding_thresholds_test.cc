// Every rule is silent just below its threshold and reports just above it.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/findings.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::GpuProfileOptions;
using test::ThresholdEdge;

AnalysisResult FoundAt(const ThresholdEdge& edge, double size,
                       const FindingThresholds& thresholds) {
  GpuProfileOptions options = test::HealthyTraining();
  edge.set(&options, size);
  return test::FindingsOf(options, thresholds);
}

// The first row of the rule with that title; -1: none.
int RowOfEdge(const AnalysisResult& result, const ThresholdEdge& edge) {
  const ResultTable& table = test::TableOf(result, "findings");
  for (size_t r = 0; r < table.size(); ++r) {
    const bool of_rule = test::Text(result, "findings", r, "rule") == edge.rule;
    const bool titled =
        test::Text(result, "findings", r, "title").find(edge.title) != std::string::npos;
    if (of_rule && titled) return static_cast<int>(r);
  }
  return -1;
}

// Returns the rule's measure at that size, even where it would not report it.
double MeasuredOf(const ThresholdEdge& edge, double size, bool report_high) {
  FindingThresholds all;
  const std::string id = edge.parameter != nullptr ? edge.parameter : edge.rule;
  REQUIRE(all.Set(id + (report_high ? "=100" : "=0.001")));
  const AnalysisResult result = FoundAt(edge, size, all);
  const int row = RowOfEdge(result, edge);
  REQUIRE(row >= 0);
  return test::Real(result, "findings", static_cast<size_t>(row), "measured");
}

double ThresholdOf(const ThresholdEdge& edge) {
  const FindingThresholds defaults;
  return edge.parameter != nullptr ? defaults.Of(std::string_view(edge.parameter))
                                   : defaults.Of(*FindRule(edge.rule));
}

}  // namespace

TEST_CASE("Every rule is silent just below its threshold, and reports just above it") {
  for (const ThresholdEdge& edge : test::ThresholdEdges()) {
    const std::string name = std::string(edge.rule) + ' ' + edge.title;
    CAPTURE(name);
    const bool inverse = std::string_view(edge.rule) == "precision";
    const double threshold = ThresholdOf(edge);
    const double below = MeasuredOf(edge, edge.below, inverse),
                 above = MeasuredOf(edge, edge.above, inverse);
    CAPTURE(below);
    CAPTURE(above);
    CHECK((inverse ? above : below) < threshold);
    CHECK((inverse ? below : above) >= threshold);
    CHECK(std::abs(below - threshold) <= 0.15 * threshold);
    CHECK(std::abs(above - threshold) <= 0.15 * threshold);
    CHECK(RowOfEdge(FoundAt(edge, edge.below, {}), edge) < 0);
    CHECK(RowOfEdge(FoundAt(edge, edge.above, {}), edge) >= 0);
  }
}

TEST_CASE("Threads that work all the time are no finding: no time without them can be compared") {
  GpuProfileOptions options = test::HealthyTraining();
  options.contention_us = 90, options.contention_every = 1;
  const AnalysisResult always = test::FindingsOf(options);
  CHECK(test::RowOfRule(always, "host-threads") < 0);
  CHECK(test::RowOfRule(always, "launch-bound") >= 0);
  options.contention_every = 2;
  CHECK(test::RowOfRule(test::FindingsOf(options), "host-threads") >= 0);
}

TEST_CASE("Every rule and every threshold of a finding has an edge that is tested") {
  const auto tested = [](std::string_view rule, std::string_view parameter) {
    for (const ThresholdEdge& edge : test::ThresholdEdges()) {
      const std::string_view own = edge.parameter != nullptr ? edge.parameter : "";
      if (edge.rule == rule && own == parameter) return true;
    }
    return false;
  };
  for (const FindingRule& rule : FindingRules()) {
    // Faults of the recording are counted; their rule's own test has one and none.
    if (rule.unit == Unit::kCount) continue;
    const std::string id = rule.id;
    CAPTURE(id);
    CHECK(tested(id, ""));
  }
  for (const char* parameter : {"memory-growth", "memory-headroom", "memory-outside"})
    CHECK(tested("memory", parameter));
}

TEST_CASE("The kind of an op is what follows its scopes; a compiled region has a slash, no scope") {
  CHECK(OpKind("resnet/block3/Mul_2") == "Mul");
  CHECK(OpKind("Torch-Compiled Region: 0/0") == "Torch-Compiled Region: 0/0");
  CHECK(OpKind("aten::mul") == "aten::mul");
}

}  // namespace stepscope
