#include "app/commands/part_of_trace.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "app/system/output.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/analysis/steps/scope_check.h"

namespace stepscope {

std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof) {
  std::vector<const AnalysisDesc*> chosen;
  for (const std::string& id : panels) {
    const AnalysisDesc* analysis = FindAnalysis(id);
    if (!analysis) {
      std::string known;
      for (const AnalysisDesc& a : Analyses())
        known += (known.empty() ? "" : ", ") + std::string(a.id);
      LogError(fmt::format("--panel {}: there is no such panel; known are {}", id, known));
      return {};
    }
    chosen.push_back(analysis);
  }
  if (panels.empty()) {
    for (const AnalysisDesc& a : Analyses()) {
      const std::string_view id = a.id;
      const bool ours =
          id == "findings" || id == "ranks" || id == "fleet" || id == "memory_snapshot";
      if (!ours || !compat_xprof) chosen.push_back(&a);
    }
  }
  return chosen;
}

std::shared_ptr<const Trace> OnClocksOf(const PartOptions& options,
                                        std::shared_ptr<const Trace> trace) {
  if (!options.aligned_clocks) return trace;
  AnalysisContext context(trace, Definitions::kStepscope);
  std::shared_ptr<const Trace> aligned = OnOneClock(context, trace);
  return aligned != nullptr ? aligned : trace;
}

AnalysisParams PartOf(const PartOptions& options) {
  AnalysisParams params = ForHost(options.host);
  params.steps = options.steps;
  params.range = options.range;
  params.hlo = options.hlo;
  params.peaks = options.peaks;
  return params;
}

bool CheckPart(AnalysisContext& context, const AnalysisParams& params) {
  const Status status = ScopeStatus(context, params);
  if (!status.ok()) LogError("--" + status.message());
  return status.ok();
}

}  // namespace stepscope
