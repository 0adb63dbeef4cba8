// The list of analyses. Adding one is a row here, its source and its test.
#include "model/analysis/analysis.h"
#include "model/analysis/diagnostics_report.h"
#include "model/analysis/input_pipeline.h"
#include "model/analysis/kernel_stats.h"
#include "model/analysis/memory.h"
#include "model/analysis/op_stats.h"
#include "model/analysis/overview.h"

namespace stepscope {

std::span<const AnalysisDesc> Analyses() {
  static constexpr AnalysisDesc kAnalyses[] = {
      {"overview", "Overview", "Where the time of each step went, and what limits the run.",
       RunOverview},
      {"input_pipeline", "Input pipeline", "What the host spends on reading and preparing input.",
       RunInputPipeline},
      {"kernel_stats", "GPU kernels", "Time, launch parameters and Tensor Core use of each kernel.",
       SharedKernelStats},
      {"op_stats", "Operations", "Time of each framework operation on hosts and devices.",
       RunOpStats},
      {"memory", "Memory",
       "What was live when each allocator was fullest, and allocations over time.", RunMemory},
      {"diagnostics", "Diagnostics", "What the loader repaired, and what the recording lacks.",
       RunDiagnostics},
  };
  return kAnalyses;
}

const AnalysisDesc* FindAnalysis(std::string_view id) {
  for (const AnalysisDesc& a : Analyses()) {
    if (id == a.id) return &a;
  }
  return nullptr;
}

}  // namespace stepscope
