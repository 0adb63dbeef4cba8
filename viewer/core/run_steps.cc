#include "viewer/core/run_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "viewer/core/step_markers.h"

namespace stepscope {

RunSteps::Known* RunSteps::Find(TraceId run) {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [run](const Known& known) { return known.run == run; });
  return found == known_.end() ? nullptr : &*found;
}

void RunSteps::Use(TraceId run, std::shared_ptr<const AnalysisResult> overview) {
  if (!overview) return;
  Known* known = Find(run);
  if (known == nullptr) {
    known = &known_.emplace_back();
    known->run = run;
  }
  if (known->serial == overview->serial) return;
  known->serial = overview->serial;
  known->job.Start(threads_, [overview = std::move(overview)](const std::stop_token&, Progress&) {
    const ResultTable* table = overview->Table("steps");
    return std::make_shared<const std::vector<StepMarker>>(
        table != nullptr ? StepMarkers(*table) : std::vector<StepMarker>());
  });
}

bool RunSteps::Update(std::span<Run> runs) {
  known_.remove_if([runs](const Known& known) { return FindRun(runs, known.run) == nullptr; });
  bool changed = false;
  for (Run& run : runs) {
    Known* known = Find(run.id);
    if (known == nullptr) continue;
    if (std::optional<Steps> steps = known->job.Take()) known->steps = std::move(*steps);
    changed = changed || run.steps != known->steps;
    run.steps = known->steps;
  }
  return changed;
}

}  // namespace stepscope
