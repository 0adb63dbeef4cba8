// The analysis `hlo_stats`: a row for each HLO op (docs/rules.md#hlo-ops).
#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_table_writer.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_rates.h"

namespace stepscope {
namespace {

using V = ValueType;

std::vector<ColumnDesc> HloStatsColumns() {
  return {
      {"rank", "Rank", Unit::kNone, V::kInt, ""},
      {"program_id", "Program", Unit::kNone, V::kString, ""},
      {"category", "Category", Unit::kNone, V::kString, ""},
      {"hlo_op_name", "HLO op", Unit::kNone, V::kString, "", true},
      {"hlo_op_expression", "Expression", Unit::kNone, V::kString, ""},
      {"tf_op_name", "Framework op", Unit::kNone, V::kString, ""},
      {"occurrences", "Count", Unit::kCount, V::kInt, "executions of the op", true},
      {"total_time", "Total time", Unit::kUs, V::kReal, "sum of durations"},
      {"avg_time", "Average", Unit::kUs, V::kReal, "total time / count"},
      {"total_self_time", "Self time", Unit::kUs, V::kReal, "without ops inside it", true},
      {"avg_self_time", "Average self", Unit::kUs, V::kReal, "self time / count"},
      {"total_self_time_percent", "Self", Unit::kPercent, V::kReal,
       "share of the devices' time, idle time included"},
      {"cumulative_total_self_time_percent", "Cumulative", Unit::kPercent, V::kReal, ""},
      {"model_flop_rate", "Model rate", Unit::kGflops, V::kReal,
       "operations that the program asks for / time"},
      {"normalized_flop_rate", "Compute rate", Unit::kGflops, V::kReal,
       "operations that the device runs / time"},
      {"measured_memory_bw", "GiB/s", Unit::kNone, V::kReal, "bytes read and written / time"},
      {"hbm_bw", "Main memory GiB/s", Unit::kNone, V::kReal, "of these, in the main memory"},
      {"operational_intensity", "FLOP/byte", Unit::kNone, V::kReal, ""},
      {"bound_by", "Bound by", Unit::kNone, V::kString,
       "the peak of which the op uses the largest share"},
      {"flop_percent", "Of peak compute", Unit::kPercent, V::kReal, "GFLOP/s / the device's peak"},
      {"hbm_percent", "Of peak memory", Unit::kPercent, V::kReal,
       "GiB/s of main memory / the device's peak"},
      {"hlo_rematerialization", "Rematerialized", Unit::kNone, V::kString, ""},
      {"outside_compilation", "Outside compilation", Unit::kNone, V::kString, ""},
      {"autotuned", "Autotuned", Unit::kNone, V::kString, ""},
      {"source_info", "Source", Unit::kNone, V::kString, ""},
      {"source_stack", "Stack", Unit::kNone, V::kString, "innermost first"},
      {"events", "Events", Unit::kCount, V::kInt, "kernels, or thunks, of all executions"},
      {"events_by_kernel", "By kernel name", Unit::kCount, V::kInt,
       "events of CUDA or HIP graphs, whose op is known by the kernel's name only"},
      {"core_type", "Core", Unit::kNone, V::kString, "of TPUs, as the next columns are"},
      {"dma_stall_percent", "DMA stall", Unit::kFraction, V::kReal, ""},
      {"cmem_read_bw", "CMEM read GiB/s", Unit::kNone, V::kReal, ""},
      {"cmem_write_bw", "CMEM write GiB/s", Unit::kNone, V::kReal, ""},
      {"parent_op_name", "Parent", Unit::kNone, V::kString, "no recording has it"},
      {"vdd_energy", "Energy", Unit::kNone, V::kReal, "no recording has it"},
  };
}

class StatsWriter {
 public:
  StatsWriter(const HloOpTable& ops, ResultTable* table) : ops_(ops), table_(*table) {
    table_.SetColumns(HloStatsColumns());
  }

  void Add(const HloOp& op) {
    const HloRates rates = RatesOf(op, ops_.peaks, op.peak_flops, ops_.kind);
    const double share =
        100 * Quotient(static_cast<double>(op.self), static_cast<double>(ops_.total));
    cumulative_ += share;
    const double n = static_cast<double>(op.occurrences);
    std::vector<Value> row = {static_cast<int64_t>(table_.size() + 1),
                              std::to_string(op.program_id),
                              op.category,
                              op.name,
                              op.expression,
                              op.provenance,
                              static_cast<int64_t>(op.occurrences),
                              InUs(op.time),
                              Quotient(InUs(op.time), n),
                              InUs(op.self),
                              Quotient(InUs(op.self), n),
                              share,
                              cumulative_,
                              rates.model_flops,
                              rates.flops,
                              rates.bytes,
                              rates.hbm,
                              rates.intensity,
                              SharedText(rates.bound_by),
                              100 * rates.compute_share,
                              100 * rates.hbm_share,
                              SharedText(Rematerialized(op)),
                              no_,
                              no_,
                              op.source,
                              op.stack,
                              static_cast<int64_t>(op.events),
                              static_cast<int64_t>(op.events_by_kernel)};
    AddTpu(rates, &row);
    table_.AddRow(std::move(row));
    table_.links.push_back(LinkTo(op));
  }

 private:
  bool IsTpu() const { return ops_.kind == DeviceKind::kTpu; }
  void AddTpu(const HloRates& rates, std::vector<Value>* row) const {
    row->emplace_back(IsTpu() ? core_ : none_);
    row->emplace_back(rates.stall);
    row->emplace_back(rates.cmem_read);
    row->emplace_back(rates.cmem_written);
    row->emplace_back(none_);
    row->emplace_back(0.0);
  }

  const HloOpTable& ops_;
  ResultTable& table_;
  double cumulative_ = 0;
  const SharedText no_{"No"}, core_{"TensorCore"}, none_{""};
};

}  // namespace

AnalysisResult RunHloStats(AnalysisContext& context, const AnalysisParams& params) {
  const auto ops = context.Get<HloOpTable>(params);
  AnalysisResult result;
  result.panel = "hlo_stats";
  ResultTable table;
  table.id = "hlo_stats";
  table.title = "HLO ops";
  StatsWriter writer(*ops, &table);
  for (const HloOp& op : ops->ops) writer.Add(op);
  result.tables.push_back(std::move(table));
  AddHloFacts(*ops, &result);
  result.empty_reason = NoHloOps(context, *ops);
  return result;
}

}  // namespace stepscope
