// This folder joins XLA's programs with the events of a trace: which instruction each event ran,
// how long, and how much it computed and moved. HloOpTable has a row for each HLO op; the pages
// hlo_stats, hlo_profile and roofline are made of it (docs/rules.md#hlo-ops). Start here;
// collect_gpu_ops.cc, collect_tpu_ops.cc and collect_cpu_ops.cc read the events,
// hlo_op_builder.h adds what the programs know of an op, hlo_rates.h makes rates of sums, and
// hlo_programs.h keeps the programs.
//
// Times are ps, by the clock of the core on TPUs. The AnalysisContext owns the table, which is
// immutable.
#pragma once

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_op_table.h"

namespace stepscope {

// Collects the ops of the hosts, steps and range that params name. O(events + instructions of the
// programs that ran).
HloOpTable CollectHloOps(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
