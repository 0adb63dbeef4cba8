// The list of analyses. Adding one is a row and a declaration here, its source and its test.
//
// Files of this folder by layer; each includes only what stands before it, and no two each other:
//   result_table, params, names, table_text   what goes in and comes out
//   collectives, op_name, kernel_rules, kernel_category, precision_names, device_type: what names
//                                             say
//   vendor_words                              what the parts of a GPU are called
//   analysis, quirks                          the context, and what of XProf it follows
//   event_order, event_forest, time_classes, lane_merge, level_line, time_ranges, enclosing
//   grouping, grouping_*, eager_torch         which step an event belongs to
//   steps, device_steps, steps_*, scope, step_intersection, step_table
//   device_events, precision, training        what devices did, for the tables about them
//   device_op_names                           which op a device event is of
//   op_database, op_collect*, memory_profile, memory_spans, kernel_*, derived_*: computed once
//   tpu                                       steps and ops of TPU cores
//   device_tables: overlap, launch_delay, copies, by_annotation, device_use; category_tables
//   op_build, steps_build, analysis_context   all of it put together
//   findings/: rules and what they share; they read everything above
//   ranks/: coordinates, collective_kind; rank_list, rank_steps, collective_calls, clocks,
//   lateness,
//           late_causes, rank_tables
//   allocation_groups, allocation_layout      of memory snapshots
//   overview, input_pipeline, op_stats, memory, memory_snapshot, ranks, diagnostics_report,
//   registry                                  the analyses
#include "model/analysis/analysis.h"

namespace stepscope {

// Each in a source of its own; nothing else calls them.
using Run = AnalysisResult(AnalysisContext& context, const AnalysisParams& params,
                           std::stop_token stop);
Run RunOverview, RunInputPipeline, SharedKernelStats, RunOpStats, RunMemory, RunDiagnostics,
    RunFindings, RunRanks, RunMemorySnapshot;

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
      {"findings", "Findings", "What to fix first, and how much of a step it would save.",
       RunFindings},
      {"ranks", "Ranks", "Which rank of a job the others wait for, by how much, and why.",
       RunRanks},
      {"memory_snapshot", "Memory snapshot",
       "Who held a device's memory at the peak, at the end and when it ran out, and what grows.",
       RunMemorySnapshot},
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
