// The list of analyses. Adding one takes a row and a declaration here, its source and its test.
#include "model/analysis/analysis.h"

namespace stepscope {

// Each is called through its row only.
using Run = AnalysisResult(AnalysisContext& context, const AnalysisParams& params);
Run RunOverview, RunVerdict, RunRecording, RunInputPipeline, RunKernelStats, RunOpStats, RunMemory,
    RunDiagnostics, RunFindings, RunRanks, RunFleet, RunMemorySnapshot, RunHloProfile, RunHloStats,
    RunRoofline, RunHloMemory, RunHloGraph;
namespace compare {
AnalysisResult CompareProfiles(AnalysisContext& a, AnalysisContext& b, const CompareParams& params);
}  // namespace compare

std::span<const AnalysisDesc> Analyses() {
  static constexpr AnalysisDesc kAnalyses[] = {
      {"overview", "Overview", "Where the time of each step went, and what limits the run.",
       RunOverview, kOfTraces | kOfOthers, true, RunVerdict},
      {"recording", "Recording", "What was recorded, by which program, and what is missing.",
       RunRecording, kOfTraces | kOfSnapshots | kOfOthers, false},
      {"input_pipeline", "Input pipeline", "What the host spends on reading and preparing input.",
       RunInputPipeline},
      {"kernel_stats", "GPU kernels", "Time, launch parameters and Tensor Core use of each kernel.",
       RunKernelStats},
      {"op_stats", "Operations", "Time of each framework operation on hosts and devices.",
       RunOpStats},
      {"memory", "Memory",
       "What was live when each allocator was fullest, and allocations over time.", RunMemory},
      {"hlo_profile", "HLO profile",
       "Where the time of XLA's ops went, by program, category and framework op, and how much of "
       "it was wasted.",
       RunHloProfile, kOfPrograms},
      {"hlo_stats", "HLO ops", "Time, rates and limits of each op of XLA's programs.", RunHloStats,
       kOfPrograms},
      {"roofline", "Roofline", "How near each op is to the limits of its device.", RunRoofline,
       kOfPrograms},
      {"hlo_memory", "HLO memory", "What an XLA program keeps in memory, and when.", RunHloMemory,
       kOfPrograms},
      {"hlo_graph", "HLO graph", "An XLA program's text, and what is around an instruction.",
       RunHloGraph, kOfPrograms},
      {"findings", "Findings", "What to fix first, and how much of a step it would save.",
       RunFindings, kOfTraces | kOfSnapshots, false},
      {"ranks", "Ranks", "Which rank of a job the others wait for, by how much, and why.", RunRanks,
       kOfTraces | kOfFleets, false},
      {"fleet", "Fleet", "What slows hundreds of ranks down, and what steps would be without it.",
       RunFleet, kOfFleets, false},
      {"memory_snapshot", "Memory snapshot",
       "Who held a device's memory at the peak, at the end and when it ran out, and what grows.",
       RunMemorySnapshot, kOfSnapshots, false},
      {"diagnostics", "Diagnostics", "What the loader repaired, and what the recording lacks.",
       RunDiagnostics, kOfTraces | kOfSnapshots | kOfFleets | kOfOthers},
  };
  return kAnalyses;
}

const AnalysisDesc* FindAnalysis(std::string_view id) {
  for (const AnalysisDesc& a : Analyses()) {
    if (id == a.id) return &a;
  }
  return nullptr;
}

const AnalysisDesc& Comparison() {
  static constexpr AnalysisDesc kComparison{
      .id = "compare",
      .title = "Comparison",
      .what = "What changed from A to B, per step, and what explains it.",
      .run = nullptr,
      .compare = compare::CompareProfiles};
  return kComparison;
}

}  // namespace stepscope
