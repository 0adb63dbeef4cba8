// Pairs of generated profiles: one with a loss and the same one without it. What a rule says is
// saved has to be what the second is shorter by (docs/findings.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/findings/findings.h"
#include "tests/support/gpu_profile.h"

namespace stepscope::test {

using SetOptions = std::function<void(GpuProfileOptions*)>;

struct PlantedLoss {
  const char* what;
  const char* rule;
  SetOptions with;          // what is lost
  SetOptions without = {};  // the same without it; null: nothing is set
  const char* device = "GPU 0, GPU 1";
  const char* steps = "0..7";
  const char* loss = nullptr;  // its class in the table `what_if`; null: it has no row there
  // What the rule measures, in its unit, where that is not the share of the step that is saved.
  std::optional<double> measured = {};
};

// At least one of every rule whose finding saves time.
std::vector<PlantedLoss> PlantedLosses();

// Two GPUs, eight steps of about 3.2 ms that lose next to nothing.
GpuProfileOptions HealthyTraining();
SetOptions StallIn(const char* name, double us);
SetOptions InScenario(GpuScenario scenario);

std::shared_ptr<const Trace> TraceOf(const GpuProfileOptions& options);
AnalysisResult FindingsOf(const GpuProfileOptions& options,
                          const FindingThresholds& thresholds = {});
// The first row of a rule that saves time; -1: none.
int RowOfRule(const AnalysisResult& result, std::string_view rule);
double StepMsOf(const AnalysisResult& result);

}  // namespace stepscope::test
