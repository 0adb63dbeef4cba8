// Results made by hand, in the form that the analyses return them, for panel tests.
#pragma once

#include <string>

#include "model/analysis/tables/result_table.h"
#include "tests/support/table_rows.h"

namespace stepscope {

// Steps of 10 ms with `input` ms of input each; the last one is partial and three times as long.
inline ResultTable SampleSteps(size_t n, double input) {
  ResultTable t;
  t.id = "steps";
  t.SetColumns({{"stepnum", "Step", Unit::kNone, ValueType::kString, ""}});
  for (const char* id : {"deviceComputeTimeMs", "deviceToDeviceTimeMs", "deviceCollectivesTimeMs",
                         "hostComputeTimeMs", "kernelLaunchTimeMs", "infeedTimeMs", "outfeedTimeMs",
                         "compileTimeMs", "otherTimeMs", "stepTimeMs"}) {
    t.AddColumn({id, id, Unit::kMs, ValueType::kReal, ""});
  }
  t.AddColumn({"inferred", "Inferred", Unit::kNone, ValueType::kBool, ""});
  t.AddColumn({"partial", "Partial", Unit::kNone, ValueType::kBool, ""});
  for (size_t i = 0; i < n; ++i) {
    const bool partial = i + 1 == n;
    const double k = partial ? 3 : 1;
    t.AddRow({"train " + std::to_string(i), (9 - input) * k, 0.0, 0.5 * k, 0.0, 0.25 * k, input * k,
              0.0, 0.0, 0.25 * k, 10 * k, false, partial});
    RowLink link;
    link.range = {static_cast<Ps>(i) * 10 * kPsPerMs, static_cast<Ps>(i + 1) * 10 * kPsPerMs};
    t.links.push_back(link);
  }
  return t;
}

inline AnalysisResult SampleOverview(size_t steps = 12) {
  AnalysisResult r;
  r.panel = "overview";
  r.properties = {{"steptime_ms_average", "Step time", 10.0, Unit::kMs, "over the steps shown"},
                  {"steptime_ms_standard_deviation", "Standard deviation", 0.0, Unit::kMs, ""},
                  {"steptime_ms_minimum", "Shortest", 10.0, Unit::kMs, ""},
                  {"steptime_ms_maximum", "Longest", 10.0, Unit::kMs, ""},
                  {"input_percent", "Input", 20.0, Unit::kPercent, ""},
                  {"device_type", "Device", std::string("Nvidia GPU (Ampere)"), Unit::kNone, ""}};
  r.findings = {
      {Finding::Grade::kBad, "Highly input-bound: 20.0 % of the step time waits for input.",
       "See which stage of the input pipeline takes the time.", "input_pipeline"},
      {Finding::Grade::kInfo, "Less than 10 % of the compute time is in 16 bits.",
       "Try mixed precision.", "kernel_stats"}};
  r.tables.push_back(SampleSteps(steps, 2));
  ResultTable ops =
      test::TableWith("top_ops", "Ops",
                      {{"selfTimePercent", "Self time", Unit::kFraction, ValueType::kReal, ""},
                       {"operation", "Operation", Unit::kNone, ValueType::kString, ""}},
                      {{0.6, std::string("Conv2D")}, {0.4, std::string("MatMul")}});
  r.tables.push_back(std::move(ops));
  r.tables.push_back(test::TableWith("environment", "Environment",
                                     {{"what", "What", Unit::kNone, ValueType::kString, ""},
                                      {"value", "Value", Unit::kNone, ValueType::kString, ""}},
                                     {{std::string("Device"), std::string("A100")}}));
  return r;
}

}  // namespace stepscope
