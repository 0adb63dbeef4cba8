// Results made by hand, in the form that the analyses return them, for panel tests.
#pragma once

#include <memory>
#include <string>

#include "model/analysis/pages/overview.h"
#include "tests/support/table_rows.h"

namespace stepscope {

// Steps of 10 ms with `input` ms of input each; the last one is partial and three times as long.
inline std::shared_ptr<const StepDatabase> SampleSteps(size_t n, double input) {
  auto db = std::make_shared<StepDatabase>();
  db->kind = DeviceKind::kGpu;
  for (size_t i = 0; i < n; ++i) {
    Step& step = db->steps.emplace_back();
    step.host = HostId(0);
    step.label = "train " + std::to_string(i);
    step.partial = i + 1 == n;
    const double ms = static_cast<double>(kPsPerMs) * (step.partial ? 3 : 1);
    step.times = {.compute = (9 - input) * ms,
                  .collectives = 0.5 * ms,
                  .launch = 0.25 * ms,
                  .input = input * ms,
                  .other = 0.25 * ms,
                  .total = 10 * ms};
    step.span = {static_cast<Ps>(i) * 10 * kPsPerMs, static_cast<Ps>(i + 1) * 10 * kPsPerMs};
  }
  return db;
}

// By XProf's definitions.
inline Overview OverviewOf(std::shared_ptr<const StepDatabase> db) {
  Overview overview;
  overview.as_xprof = true;
  overview.step_times = SummarizeStepTimes(db->steps);
  overview.steps = std::make_shared<const JudgedSteps>(JudgedSteps{db, db});
  return overview;
}

inline AnalysisResult SampleOverview(size_t steps = 12) {
  Overview overview = OverviewOf(SampleSteps(steps, 2));
  overview.device_type = "Nvidia GPU (Ampere)";
  overview.environment = {{"Device", "A100"}};
  overview.top_ops = {{.type = "Conv2D", .name = "Conv2D", .share = 0.6, .link = {}},
                      {.type = "MatMul", .name = "MatMul", .share = 0.4, .link = {}}};
  AnalysisResult r;
  r.panel = "overview";
  r.findings = {
      {Finding::Grade::kBad, "Highly input-bound: 20.0 % of the step time waits for input.",
       "See which stage of the input pipeline takes the time.", "input_pipeline"},
      {Finding::Grade::kInfo, "Less than 10 % of the compute time is in 16 bits.",
       "Try mixed precision.", "kernel_stats"}};
  r.tables.push_back(
      test::TableWith("top_ops", "Ops",
                      {{"selfTimePercent", "Self time", Unit::kFraction, ValueType::kReal, ""},
                       {"operation", "Operation", Unit::kNone, ValueType::kString, ""}},
                      {{0.6, std::string("Conv2D")}, {0.4, std::string("MatMul")}}));
  r.SetSource(std::make_shared<const Overview>(std::move(overview)));
  return r;
}

}  // namespace stepscope
