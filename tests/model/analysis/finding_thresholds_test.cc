// Each rule just below its threshold, where it is silent, and just above it, where it reports.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "model/analysis/findings/findings.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::GpuModelKind;
using test::GpuProfileOptions;
using test::GpuScenario;
using O = GpuProfileOptions;

struct Edge {
  const char* rule;
  std::function<void(O*, double)> set;
  double below, above;  // sizes of what is planted: what is measured is 15 % off at most
  const char* parameter = nullptr;  // what has the threshold, where that is not the rule's
  const char* title = "";           // a part of it, where a rule has several findings
};

std::function<void(O*, double)> Stalled(const char* name) {
  return [name](O* o, double us) { o->stall = name, o->stall_us = us; };
}

// Its ops in the first block of each stage are other ones, and take `factor` as long.
void FirstBlocks(O* o, GpuModelKind model, double factor) {
  o->other_ops = o->slower_op = "block0/";
  o->other_model = model, o->slower_factor = factor;
}

std::vector<Edge> Edges() {
  return {
      {"input-bound", [](O* o, double us) { o->input_wait_us = us; }, 160, 175},
      {"host-threads", [](O* o, double us) { o->contention_us = us, o->contention_every = 2; },
       54.4, 55.2},
      {"between-steps", [](O* o, double us) { o->between_us = us; }, 185, 205},
      {"short-kernels",
       [](O* o, double n) {
         o->layers = static_cast<int>(n), o->slower_op = "stage0/", o->slower_factor = 0.8;
       },
       19, 18},  // 29 of 59 kernels, and 28 of 56
      {"launch-bound", [](O* o, double us) { o->op_cost_us = us; }, 51, 51.6},
      {"host-op",  // of up to 200 us it would be dispatch
       [](O* o, double us) { o->layers = 40, o->stall = "net/unique:Unique", o->stall_us = us; },
       310, 345},
      {"copies", [](O* o, double us) { o->d2d_us = us; }, 160, 178},
      {"copies", [](O* o, double us) { o->h2d_us = us; }, 155, 178},
      {"sync", Stalled("cudaStreamSynchronize"), 160, 178},
      {"matrix-units", [](O* o, double x) { FirstBlocks(o, GpuModelKind::kFloat, x); }, 0.5, 0.56},
      {"precision",
       [](O* o, double x) {
         o->model = GpuModelKind::kTensorFloat;
         FirstBlocks(o, GpuModelKind::kHalf, x);
       },
       2.1, 1.9},  // found below the threshold
      {"loss-scaling", Stalled("LossScaleOptimizer/IsFinite:IsFinite"), 62, 70},
      {"compile", Stalled("XlaCompile"), 160, 178},
      {"memory",
       [](O* o, double steps) {
         o->scenario = GpuScenario::kFragmented, o->steps = static_cast<int>(steps);
       },
       6, 7, nullptr, "fragmented"},  // 5 % more in each
      {"memory", [](O* o, double bytes) { o->leak_bytes = static_cast<int64_t>(bytes); }, 190e6,
       210e6, "memory-growth", "more after each step"},
      {"memory", [](O* o, double bytes) { o->leak_bytes = static_cast<int64_t>(bytes); }, 2.5e9,
       2.3e9, "memory-headroom", "a larger batch fits"},
      {"memory", Stalled("cudaMalloc"), 62, 70, "memory-outside", "outside of the framework"},
      {"allreduce", [](O* o, double us) { o->collective_us = us; }, 158, 175},
      {"imbalance", [](O* o, double us) { o->scenario = GpuScenario::kStaggered, o->late_us = us; },
       160, 175},
      {"sequential-gpus",
       [](O* o, double us) { o->scenario = GpuScenario::kStaggered, o->late_us = us; }, 1950, 2100},
      {"outlier-steps",
       [](O* o, double us) { o->stall = "gc", o->stall_us = us, o->stall_step = 4; }, 600, 680},
  };
}

AnalysisResult FoundAt(const Edge& edge, double size, const FindingThresholds& thresholds) {
  GpuProfileOptions options = test::HealthyTraining();
  edge.set(&options, size);
  return test::FindingsOf(options, thresholds);
}

// The first row of the rule with that title; -1: none.
int RowOf(const AnalysisResult& result, const Edge& edge) {
  const ResultTable& table = test::TableOf(result, "findings");
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const bool of_rule = test::Text(result, "findings", r, "rule") == edge.rule;
    const bool titled =
        test::Text(result, "findings", r, "title").find(edge.title) != std::string::npos;
    if (of_rule && titled) return static_cast<int>(r);
  }
  return -1;
}

// What the rule measures, whether or not it reports it.
double MeasuredOf(const Edge& edge, double size, bool report_high) {
  FindingThresholds all;
  const std::string id = edge.parameter != nullptr ? edge.parameter : edge.rule;
  REQUIRE(all.Set(id + (report_high ? "=100" : "=0.001")));
  const AnalysisResult result = FoundAt(edge, size, all);
  const int row = RowOf(result, edge);
  REQUIRE(row >= 0);
  return test::Real(result, "findings", static_cast<size_t>(row), "measured");
}

double ThresholdOf(const Edge& edge) {
  const FindingThresholds defaults;
  return edge.parameter != nullptr ? defaults.Of(std::string_view(edge.parameter))
                                   : defaults.Of(*FindRule(edge.rule));
}

}  // namespace

TEST_CASE("Every rule is silent just below its threshold, and reports just above it") {
  for (const Edge& edge : Edges()) {
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
    CHECK(RowOf(FoundAt(edge, edge.below, {}), edge) < 0);
    CHECK(RowOf(FoundAt(edge, edge.above, {}), edge) >= 0);
  }
}

TEST_CASE("Threads that always work cannot be told to compete: there is nothing to compare with") {
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
    for (const Edge& edge : Edges()) {
      const std::string_view own = edge.parameter != nullptr ? edge.parameter : "";
      if (edge.rule == rule && own == parameter) return true;
    }
    return false;
  };
  for (const FindingRule& rule : FindingRules()) {
    const std::string id = rule.id;
    CAPTURE(id);
    CHECK(tested(id, ""));
  }
  for (const char* parameter : {"memory-growth", "memory-headroom", "memory-outside"})
    CHECK(tested("memory", parameter));
}

}  // namespace stepscope
