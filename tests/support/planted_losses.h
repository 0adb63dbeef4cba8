// The tests of every rule of the findings (docs/findings.md#rules), as rows: a new rule adds rows
// here. A planted loss is a pair of generated profiles, one with a loss and one without it: the
// rule has to say that a step saves what the second is shorter by. A threshold's edge is a loss
// of two sizes.
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
  SetOptions with;          // plants the loss
  SetOptions without = {};  // the same program without it; null: HealthyTraining()
  const char* device = "GPU 0, GPU 1";
  const char* steps = "0..7";
  const char* loss = nullptr;  // the loss's class in the table `what_if`; null: it has no row there
  // The number that the rule measures, in its unit, where this is not the saved share of the step.
  std::optional<double> measured = {};
};

// At least one row for every rule whose finding saves time.
std::vector<PlantedLoss> PlantedLosses();

// A loss of two sizes: one just below a rule's threshold, one just above it.
struct ThresholdEdge {
  const char* rule;
  std::function<void(GpuProfileOptions*, double)> set;
  double below, above;  // sizes for which the rule measures at most 15 % off the threshold
  const char* parameter = nullptr;  // the id of the threshold, where it is not the rule's own
  const char* title = "";           // a part of the finding's title, where a rule has several
};

// At least one row for every rule and for every threshold of a rule.
std::vector<ThresholdEdge> ThresholdEdges();

// Two GPUs and eight steps of about 3.2 ms that lose next to nothing.
GpuProfileOptions HealthyTraining();
SetOptions StallIn(const char* name, double us);
SetOptions InScenario(GpuScenario scenario);

std::shared_ptr<const Trace> TraceOf(const GpuProfileOptions& options);
AnalysisResult FindingsOf(const GpuProfileOptions& options,
                          const FindingThresholds& thresholds = {});
// The first row of a rule in the table `findings` that saves time; -1: there is none.
int RowOfRule(const AnalysisResult& result, std::string_view rule);
double StepMsOf(const AnalysisResult& result);

}  // namespace stepscope::test
