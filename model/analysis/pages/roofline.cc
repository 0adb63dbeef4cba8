// The analysis `roofline`: how near each HLO op is to the limits of its device
// (docs/rules.md#hlo-roofline).
#include <algorithm>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_table_writer.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/torch/torch_tables.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_rates.h"
#include "model/analysis/xla/step_sums.h"

namespace stepscope {
namespace {

using V = ValueType;

ColumnDesc Real(const char* id, const char* label, Unit unit = Unit::kNone, const char* how = "") {
  return {id, label, unit, V::kReal, how};
}

std::vector<ColumnDesc> RooflineColumns() {
  return {
      {"step", "Step", Unit::kNone, V::kString, "Total: the whole recording"},
      {"rank", "Rank", Unit::kNone, V::kInt, "0: the program"},
      {"category", "Category", Unit::kNone, V::kString, ""},
      {"operation", "HLO op", Unit::kNone, V::kString, "", true},
      {"occurrences", "Count", Unit::kCount, V::kInt, ""},
      Real("total_time", "Total time", Unit::kUs),
      Real("avg_time", "Average", Unit::kUs),
      Real("total_self_time", "Self time", Unit::kUs),
      Real("avg_self_time", "Average self", Unit::kUs),
      Real("total_self_time_percent", "Self", Unit::kFraction, "share of the devices' time"),
      Real("cumulative_total_self_time_percent", "Cumulative", Unit::kFraction),
      {"measured_flop_rate", "Compute rate", Unit::kGflops, V::kReal, "operations / time", true},
      Real("model_flop_rate", "Model rate", Unit::kGflops),
      Real("measured_memory_bw", "GiB/s", Unit::kNone, "bytes / time"),
      Real("hbm_bw", "Main memory GiB/s"),
      Real("cmem_read_bw", "CMEM read GiB/s"),
      Real("cmem_write_bw", "CMEM write GiB/s"),
      Real("vmem_read_bw", "VMEM read GiB/s"),
      Real("vmem_write_bw", "VMEM write GiB/s"),
      Real("operational_intensity", "FLOP/byte"),
      Real("hbm_operational_intensity", "FLOP/byte of main memory"),
      Real("cmem_read_operational_intensity", "FLOP/byte of CMEM reads"),
      Real("cmem_write_operational_intensity", "FLOP/byte of CMEM writes"),
      Real("vmem_read_operational_intensity", "FLOP/byte of VMEM reads"),
      Real("vmem_write_operational_intensity", "FLOP/byte of VMEM writes"),
      {"bottleneck_operational_intensity", "FLOP/byte of the limit", Unit::kNone, V::kReal,
       "of the memory that it is bound by", true},
      {"bound_by", "Bound by", Unit::kNone, V::kString, ""},
      Real("total_time_per_core", "Time a device", Unit::kUs),
      Real("total_time_in_percentage", "Time", Unit::kFraction),
      Real("optimal_flop_rate", "Rate at the limit", Unit::kGflops),
      Real("roofline_efficiency", "Of the limit", Unit::kFraction),
      Real("compute_efficiency", "Of peak compute", Unit::kFraction),
      Real("max_mem_bw_utilization", "Of peak memory", Unit::kFraction),
      Real("dma_stall_percent", "DMA stall", Unit::kFraction),
      {"hlo_module_id", "Program", Unit::kNone, V::kString, ""},
      {"source_info", "Source", Unit::kNone, V::kString, ""},
      {"source_stack", "Stack", Unit::kNone, V::kString, ""},
      Real("peak_flop_rate", "Peak for its type", Unit::kGflops),
  };
}

// XProf's names of ops that hold others, whose costs would count twice.
bool HoldsOthers(const HloOp& op) {
  return op.category == "while" || op.category == "conditional" || op.category == "call" ||
         op.category == "megacore fusion";
}

bool IsFeed(const HloOp& op) { return op.category == "infeed" || op.category == "outfeed"; }

class RooflineWriter {
 public:
  RooflineWriter(const HloOpTable& ops, bool feeds, size_t most, ResultTable* table)
      : ops_(ops), feeds_(feeds), most_(most), table_(*table) {
    table_.SetColumns(RooflineColumns());
  }

  void AddProgram(const std::string& step, const HloSums& sums) {
    HloOp program;
    static_cast<HloSums&>(program) = sums;
    program.category = program.name = "Program";
    program.peak_flops = ops_.peaks.flops;
    program.self = program.stall = 0;
    program.occurrences = 1;
    AddRow(step, 0, program, 0, RowLink());
  }

  void AddTotal() {
    HloSums sums;
    for (const HloOp& op : ops_.ops) {
      if (Shown(op) && !HoldsOthers(op)) sums += op;
    }
    sums.time = Total();
    AddProgram("Total", sums);
  }

  void AddOps() {
    int64_t rank = 0;
    double cumulative = 0;
    for (const HloOp& op : ops_.ops) {
      if (!Shown(op)) continue;
      if (static_cast<size_t>(rank) >= most_) return;
      cumulative += Share(op.self);
      AddRow("Total", ++rank, op, cumulative, LinkTo(op));
    }
  }

 private:
  bool Shown(const HloOp& op) const { return feeds_ || !IsFeed(op); }

  Ps Total() const {
    Ps total = ops_.total;
    for (const HloOp& op : ops_.ops) {
      if (!Shown(op)) total -= op.self;
    }
    return total;
  }

  double Share(Ps time) const {
    return Quotient(static_cast<double>(time), static_cast<double>(Total()));
  }

  void AddRow(const std::string& step, int64_t rank, const HloOp& op, double cumulative,
              RowLink link) {
    const HloRates r = RatesOf(op, ops_.peaks, op.peak_flops, ops_.kind);
    const double n = static_cast<double>(op.occurrences);
    table_.AddRow({step,
                   rank,
                   op.category,
                   op.name,
                   static_cast<int64_t>(op.occurrences),
                   InUs(op.time),
                   Quotient(InUs(op.time), n),
                   InUs(op.self),
                   Quotient(InUs(op.self), n),
                   Share(op.self),
                   cumulative,
                   r.flops,
                   r.model_flops,
                   r.bytes,
                   r.hbm,
                   r.cmem_read,
                   r.cmem_written,
                   r.vmem_read,
                   r.vmem_written,
                   r.intensity,
                   r.hbm_intensity,
                   r.cmem_read_intensity,
                   r.cmem_written_intensity,
                   r.vmem_read_intensity,
                   r.vmem_written_intensity,
                   r.bound_intensity,
                   SharedText(r.bound_by),
                   Quotient(InUs(op.time), ops_.devices),
                   Share(op.time),
                   r.optimal_flops,
                   r.efficiency,
                   r.compute_share,
                   r.memory_share,
                   r.stall,
                   std::to_string(op.program_id),
                   op.source,
                   op.stack,
                   op.peak_flops});
    table_.links.push_back(std::move(link));
  }

  const HloOpTable& ops_;
  const bool feeds_;
  const size_t most_;
  ResultTable& table_;
};

void AddRidge(const char* id, const char* label, double flops, double gib, AnalysisResult* result) {
  result->properties.push_back({id, label, Quotient(flops, gib * kGBPerGiB), Unit::kNone,
                                "peak GFLOP/s / peak GB/s: below it, memory is the limit"});
}

void AddPeaks(const HloOpTable& ops, AnalysisResult* result) {
  const DevicePeaks& p = ops.peaks;
  const bool tpu = ops.kind == DeviceKind::kTpu, vmem = p.merged_vmem && p.cmem_read <= 0;
  const double on_chip = tpu ? (vmem ? p.vmem_write : 0) : p.sram_write;
  const auto add = [&](const char* id, const char* label, double value) {
    result->properties.push_back({id, label, value, Unit::kNone, p.source});
  };
  AddRidge("hbm_ridge_point", "Ridge point", p.flops, p.hbm, result);
  add("peak_vmem_write_bw", "Peak of on-chip memory, GiB/s", on_chip);
  AddRidge("vmem_write_ridge_point", "Ridge point of on-chip memory", p.flops, on_chip, result);
  if (!tpu) return;
  const double reads = vmem ? p.vmem_read : 0;
  add("peak_vmem_read_bw", "Peak of on-chip reads, GiB/s", reads);
  AddRidge("vmem_read_ridge_point", "Ridge point of on-chip reads", p.flops, reads, result);
  add("peak_cmem_read_bw", "Peak of CMEM reads, GiB/s", p.cmem_read);
  add("peak_cmem_write_bw", "Peak of CMEM writes, GiB/s", p.cmem_write);
}

ResultTable MakeTable(const HloOpTable& ops, const char* id, const char* title, bool feeds,
                      bool limited, const std::vector<HloStepSums>& steps) {
  ResultTable table;
  table.id = id;
  table.title = title;
  if (ops.ops.empty()) {
    table.SetColumns(RooflineColumns());
    return table;
  }
  RooflineWriter writer(ops, feeds, limited ? kXprofRooflineRows : SIZE_MAX, &table);
  writer.AddTotal();
  writer.AddOps();
  for (const HloStepSums& step : steps) writer.AddProgram(step.label, step.sums);
  return table;
}

bool HasStepsLine(const Trace& trace) {
  return std::any_of(trace.set.tracks.begin(), trace.set.tracks.end(),
                     [](const Track& t) { return t.kind == TrackKind::kSteps; });
}

// XProf keeps ops by step only on TPUs, and knows only steps of a Steps line. Their average comes
// first, and is 0 without such a line.
std::vector<HloStepSums> XprofSteps(AnalysisContext& context, const HloOpTable& ops,
                                    const AnalysisParams& params) {
  std::vector<HloStepSums> steps;
  if (ops.kind != DeviceKind::kTpu) return steps;
  if (HasStepsLine(context.trace())) steps = SumByStep(context, ops, params);
  HloStepSums average;
  average.label = "Average";
  for (const HloStepSums& step : steps) average.sums += step.sums;
  if (!steps.empty()) average.sums.time /= static_cast<Ps>(steps.size());
  steps.insert(steps.begin(), std::move(average));
  return steps;
}

}  // namespace

AnalysisResult RunRoofline(AnalysisContext& context, const AnalysisParams& params) {
  const auto ops = context.Get<HloOpTable>(params);
  const bool limited = context.xprof().hlo_rows_limited;
  AnalysisResult result;
  result.panel = "roofline";
  if (ops->ops.empty() && AddTorchRoofline(context, params, &result)) return result;
  std::vector<HloStepSums> steps;
  if (!ops->ops.empty()) {
    steps = limited ? XprofSteps(context, *ops, params) : SumByStep(context, *ops, params);
  }
  result.tables.push_back(MakeTable(*ops, "roofline", "Roofline", true, limited, steps));
  const bool feeds = std::any_of(ops->ops.begin(), ops->ops.end(), IsFeed);
  if (feeds) {
    result.tables.push_back(MakeTable(*ops, "roofline_without_infeed",
                                      "Roofline without infeed and outfeed", false, limited, {}));
  }
  AddHloFacts(*ops, &result);
  AddPeaks(*ops, &result);
  result.empty_reason = NoHloOps(context, *ops);
  return result;
}

}  // namespace stepscope
