// Findings and the table `what_if` save what the same program is shorter by without the loss.
// Each program is generated with the loss and without it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/analysis/findings/findings.h"
#include "model/analysis/steps/losses.h"
#include "tests/support/planted_losses.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::FindingsOf;
using test::GpuProfileOptions;
using test::PlantedLoss;

GpuProfileOptions OptionsOf(const test::SetOptions& set) {
  GpuProfileOptions options = test::HealthyTraining();
  if (set) set(&options);
  return options;
}

// doctest's Approx would add 5 % of 1, which is much for a value of about 1 ms.
bool Within5Percent(double value, double of) { return std::abs(value - of) <= 0.05 * of; }

int RowOfClass(const AnalysisResult& result, const char* loss) {
  for (size_t r = 0; r < test::TableOf(result, "what_if").size(); ++r) {
    if (test::Text(result, "what_if", r, "class") == loss) return static_cast<int>(r);
  }
  return -1;
}

}  // namespace

TEST_CASE("A finding saves what the same program without the loss is shorter by, within 5 %") {
  for (const PlantedLoss& planted : test::PlantedLosses()) {
    const std::string name = std::string(planted.rule) + ": " + planted.what;
    CAPTURE(name);
    const AnalysisResult with = FindingsOf(OptionsOf(planted.with)),
                         without = FindingsOf(OptionsOf(planted.without));
    const int row = test::RowOfRule(with, planted.rule);
    CHECK(row >= 0);
    if (row < 0) continue;
    const auto at = static_cast<size_t>(row);
    CHECK(test::Text(with, "findings", at, "device") == planted.device);
    CHECK(test::Text(with, "findings", at, "steps") == planted.steps);
    const double saving = test::Real(with, "findings", at, "saving_ms_per_step");
    const double shorter = test::StepMsOf(with) - test::StepMsOf(without);
    CAPTURE(saving);
    CAPTURE(shorter);
    CHECK(Within5Percent(saving, shorter));
    const double measured = test::Real(with, "findings", at, "measured");
    CAPTURE(measured);
    CHECK(
        Within5Percent(measured, planted.measured.value_or(100 * shorter / test::StepMsOf(with))));
    CHECK(test::RowOfRule(without, planted.rule) < 0);
  }
}

TEST_CASE("Every rule that saves time has a planted loss") {
  const std::vector<PlantedLoss> all = test::PlantedLosses();
  for (const FindingRule& rule : FindingRules()) {
    if (rule.unit == Unit::kCount) continue;  // faults of the recording cost no time
    const std::string id = rule.id;
    CAPTURE(id);
    CHECK(std::any_of(all.begin(), all.end(),
                      [&](const PlantedLoss& planted) { return id == planted.rule; }));
  }
}

TEST_CASE("What if: the step without a class is the one generated without it, within 5 %") {
  std::vector<std::string> seen;
  std::vector<PlantedLoss> all = test::PlantedLosses();
  all.push_back({"nothing recorded", "",
                 [](GpuProfileOptions* o) { o->between_us = 2000, o->between_recorded = false; }});
  all.back().loss = "unknown";
  all.push_back(
      {"gaps between launched kernels", "", [](GpuProfileOptions* o) { o->gap_us = 12; }});
  all.back().loss = "queued";
  for (const PlantedLoss& planted : all) {
    if (planted.loss == nullptr) continue;
    CAPTURE(planted.loss);
    seen.emplace_back(planted.loss);
    const AnalysisResult with = FindingsOf(OptionsOf(planted.with));
    const double without = test::StepMsOf(FindingsOf(OptionsOf(planted.without)));
    const int row = RowOfClass(with, planted.loss);
    REQUIRE(row >= 0);
    const double then = test::Real(with, "what_if", static_cast<size_t>(row), "step_ms");
    CAPTURE(then);
    CAPTURE(without);
    CHECK(Within5Percent(then, without));
    CHECK(test::StepMsOf(with) > 1.1 * without);
  }
  for (size_t c = 1; c < kStepTimeClasses; ++c) {  // all but the device's own work
    const std::string id = IdOf(static_cast<StepTimeClass>(c));
    CAPTURE(id);
    CHECK(std::find(seen.begin(), seen.end(), id) != seen.end());
  }
}

TEST_CASE("Compilation in the first step only saves nothing in the steps after it") {
  GpuProfileOptions options = test::HealthyTraining();
  options.stall = "XlaCompile", options.stall_us = 8000, options.stall_step = 0;
  const AnalysisResult result = FindingsOf(options);
  const ResultTable& table = test::TableOf(result, "findings");
  size_t found = 0;
  for (size_t r = 0; r < table.size(); ++r) {
    if (table.ShownText(r, table.Column("rule")) != "compile") continue;
    ++found;
    // 8 ms in one of eight steps make the average step 1 ms longer.
    const double step_ms = test::StepMsOf(result);
    CHECK(Within5Percent(test::Real(result, "findings", r, "measured"), 100 / (step_ms + 1)));
    CHECK(test::Text(result, "findings", r, "steps") == "0");
    CHECK(test::Real(result, "findings", r, "saving_ms_per_step") == 0);
    CHECK(Within5Percent(step_ms, test::StepMsOf(FindingsOf(test::HealthyTraining()))));
  }
  CHECK(found == 1);
}

}  // namespace stepscope
