// The analysis `hlo_stats`: a row for each HLO op (docs/rules.md#hlo-ops).
#include <utility>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/pages/op_stats.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

Property Number(const char* id, const char* label, double value, Unit unit, std::string how) {
  return {id, label, value, unit, std::move(how)};
}

// XProf's "Yes" or "No": whether the op was computed again to save memory.
std::string_view Rematerialized(const HloOp& op) {
  const bool by_name =
      op.expression.substr(0, op.expression.find('=')).find(".remat") != std::string::npos;
  const bool by_origin = op.provenance.find("/rematted_computation/") != std::string::npos;
  return by_name || by_origin ? "Yes" : "No";
}

const Schema<RatedOp, HloOpTable>& HloStatsSchema() {
  using R = RatedOp;
  using T = HloOpTable;
  static const SharedText no("No"), core("TensorCore"), none;
  const auto text = [](const SharedText& value) {
    return [value](const R&) -> const SharedText& { return value; };
  };
  const auto average = [](Ps HloSums::*time) {
    return [time](const R& r) {
      return Quotient(InUs((*r.op).*time), static_cast<double>(r.op->occurrences));
    };
  };
  static const Schema<R, T> schema(
      "hlo_stats", "HLO ops",
      {{"rank", "Rank", Unit::kNone, [](const R&, const T&, size_t i) { return i + 1; }},
       {"program_id", "Program", Unit::kNone,
        [](const R& r) { return std::to_string(r.op->program_id); }},
       {"category", "Category", Unit::kNone, OfOp(&HloOp::category)},
       {"hlo_op_name", "HLO op", Unit::kNone, OfOp(&HloOp::name), "", kKeyColumn},
       {"hlo_op_expression", "Expression", Unit::kNone, OfOp(&HloOp::expression)},
       {"tf_op_name", "Framework op", Unit::kNone, OfOp(&HloOp::provenance)},
       {"occurrences", "Count", Unit::kCount, OfOp(&HloOp::occurrences), "executions of the op",
        kKeyColumn},
       {"total_time", "Total time", Unit::kUs, OfOp(&HloOp::time), "sum of durations"},
       {"avg_time", "Average", Unit::kUs, average(&HloOp::time), "total time / count"},
       {"total_self_time", "Self time", Unit::kUs, OfOp(&HloOp::self), "without ops inside it",
        kKeyColumn},
       {"avg_self_time", "Average self", Unit::kUs, average(&HloOp::self), "self time / count"},
       {"total_self_time_percent", "Self", Unit::kPercent, &R::share,
        "share of the devices' time, idle time included"},
       {"cumulative_total_self_time_percent", "Cumulative", Unit::kPercent, &R::cumulative},
       {"model_flop_rate", "Model rate", Unit::kGflops, OfRates(&HloRates::model_flops),
        "operations that the program asks for / time"},
       {"normalized_flop_rate", "Compute rate", Unit::kGflops, OfRates(&HloRates::flops),
        "operations that the device runs / time"},
       {"measured_memory_bw", "GiB/s", Unit::kNone, OfRates(&HloRates::bytes),
        "bytes read and written / time"},
       {"hbm_bw", "Main memory GiB/s", Unit::kNone, OfRates(&HloRates::hbm),
        "of these, in the main memory"},
       {"operational_intensity", "FLOP/byte", Unit::kNone, OfRates(&HloRates::intensity)},
       {"bound_by", "Bound by", Unit::kNone, OfRates(&HloRates::bound_by),
        "the peak of which the op uses the largest share"},
       {"flop_percent", "Of peak compute", Unit::kPercent,
        [](const R& r) { return 100 * r.rates.compute_share; }, "GFLOP/s / the device's peak"},
       {"hbm_percent", "Of peak memory", Unit::kPercent,
        [](const R& r) { return 100 * r.rates.hbm_share; },
        "GiB/s of main memory / the device's peak"},
       {"hlo_rematerialization", "Rematerialized", Unit::kNone,
        [](const R& r) { return Rematerialized(*r.op); }},
       {"outside_compilation", "Outside compilation", Unit::kNone, text(no)},
       {"autotuned", "Autotuned", Unit::kNone, text(no)},
       {"source_info", "Source", Unit::kNone, OfOp(&HloOp::source)},
       {"source_stack", "Stack", Unit::kNone, OfOp(&HloOp::stack), "innermost first"},
       {"events", "Events", Unit::kCount, OfOp(&HloOp::events),
        "kernels, or thunks, of all executions"},
       {"events_by_kernel", "By kernel name", Unit::kCount, OfOp(&HloOp::events_by_kernel),
        "events of CUDA or HIP graphs, whose op is known by the kernel's name only"},
       {"core_type", "Core", Unit::kNone,
        [](const R&, const T& t) { return t.kind == DeviceKind::kTpu ? core : none; },
        "of TPUs, as the next columns are"},
       {"dma_stall_percent", "DMA stall", Unit::kFraction, OfRates(&HloRates::stall)},
       {"cmem_read_bw", "CMEM read GiB/s", Unit::kNone, OfRates(&HloRates::cmem_read)},
       {"cmem_write_bw", "CMEM write GiB/s", Unit::kNone, OfRates(&HloRates::cmem_written)},
       {"parent_op_name", "Parent", Unit::kNone, text(none), "no recording has it"},
       {"vdd_energy", "Energy", Unit::kNone, [](const R&) { return 0.0; }, "no recording has it"}},
      [](const R& r, const T&) { return LinkTo(*r.op); });
  return schema;
}

std::vector<RatedOp> RatedOps(const std::shared_ptr<const HloOpTable>& ops) {
  std::vector<RatedOp> rows;
  double cumulative = 0;
  for (const HloOp& op : ops->ops) {
    const double share =
        100 * Quotient(static_cast<double>(op.self), static_cast<double>(ops->total));
    cumulative += share;
    rows.push_back(
        {{ops, &op}, RatesOf(op, ops->peaks, op.peak_flops, ops->kind), share, cumulative});
  }
  return rows;
}

}  // namespace

std::string NoHloOps(AnalysisContext& context, const HloOpTable& table) {
  if (!table.ops.empty()) return {};
  if (!context.stats_error().empty()) return "HLO ops cannot be read: " + context.stats_error();
  if (context.xprof().hlo_ops_of_cpu_left_out && table.kind == DeviceKind::kCpuOnly)
    return "XProf has no HLO ops of CPUs.";
  if (const std::string hidden = OpsHiddenByBuffers(context); !hidden.empty()) return hidden;
  if (context.Get<HloPrograms>().list().empty()) return kNoHloPrograms;
  return "No event of this part of the profile names an HLO op.";
}

void AddHloFacts(const HloOpTable& table, AnalysisResult* result) {
  const DevicePeaks& peaks = table.peaks;
  auto& properties = result->properties;
  properties.push_back({"device_type", "Device", peaks.device, Unit::kNone, ""});
  if (peaks.flops > 0)
    properties.push_back(
        Number("peak_flop_rate", "Peak", peaks.flops, Unit::kGflops, peaks.source));
  if (peaks.hbm > 0)
    properties.push_back(
        Number("peak_hbm_bw", "Peak of main memory, GiB/s", peaks.hbm, Unit::kNone, peaks.source));
  if (table.unknown_costs > 0) {
    properties.push_back(
        {"unknown_costs", "Ops of unknown cost", static_cast<int64_t>(table.unknown_costs),
         Unit::kCount, "they count 0 operations and bytes; the first is " + table.first_unknown});
  }
  if (table.dropped_events > 0) {
    properties.push_back({"dropped_events", "Dropped events",
                          static_cast<int64_t>(table.dropped_events), Unit::kCount,
                          "XProf drops ops that no program of the file has"});
  }
  if (table.events_by_program > 0) {
    properties.push_back({"events_without_program", "Events without program",
                          static_cast<int64_t>(table.events_by_program), Unit::kCount,
                          "their programs are not in the file, so that their costs are unknown"});
  }
}

RowLink LinkTo(const HloOp& op) {
  RowLink link = LinkTo(op.rows);
  link.total = op.events;
  return link;
}

AnalysisResult RunHloStats(AnalysisContext& context, const AnalysisParams& params) {
  const auto ops = context.Get<HloOpTable>(params);
  AnalysisResult result;
  result.panel = "hlo_stats";
  result.tables.push_back(HloStatsSchema().Make(RatedOps(ops), *ops));
  AddHloFacts(*ops, &result);
  result.empty_reason = NoHloOps(context, *ops);
  result.SetSource(ops);
  return result;
}

}  // namespace stepscope
