// The analysis `hlo_profile`: the time of HLO ops as trees (docs/rules.md#hlo-profile).
#include <algorithm>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_table_writer.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_rates.h"
#include "model/analysis/xla/hlo_tree.h"

namespace stepscope {
namespace {

using V = ValueType;

std::vector<ColumnDesc> ProfileColumns() {
  return {
      {"name", "Name", Unit::kNone, V::kString, "", true},
      {"depth", "Depth", Unit::kNone, V::kInt, "0 is the root; the children of a row follow it"},
      {"time_percent", "Time", Unit::kPercent, V::kReal, "time / time of the root", true},
      {"flop_percent", "Compute", Unit::kPercent, V::kReal, "operations / time / the device's peak",
       true},
      {"hbm_percent", "Memory", Unit::kPercent, V::kReal,
       "bytes of main memory / time / the device's peak, at most 100 %", true},
      {"wasted_percent", "Wasted", Unit::kPercent, V::kReal,
       "time % * (1 - the larger of compute and memory)", true},
      {"total_time", "Total time", Unit::kUs, V::kReal, ""},
      {"avg_time", "Average", Unit::kUs, V::kReal, "total time / count"},
      {"occurrences", "Count", Unit::kCount, V::kInt, ""},
      {"gflops", "Compute rate", Unit::kGflops, V::kReal, "model operations / time"},
      {"hbm_share_percent", "Share of bytes", Unit::kPercent, V::kReal,
       "bytes of main memory / those of the root"},
      {"category", "Category", Unit::kNone, V::kString, ""},
      {"program_id", "Program", Unit::kNone, V::kString, ""},
      {"provenance", "Framework op", Unit::kNone, V::kString, ""},
      {"children", "Children", Unit::kNone, V::kInt, ""},
      {"raw_time_ps", "Time", Unit::kPs, V::kInt, ""},
      {"raw_flops", "Model operations", Unit::kNone, V::kReal, ""},
      {"bf16_flops", "Operations", Unit::kNone, V::kReal, ""},
      {"flops", "Compute, capped", Unit::kFraction, V::kReal,
       "share of the peak, at most 1, * share of the root's time"},
      {"uncapped_flops", "Compute, of the whole", Unit::kFraction, V::kReal,
       "share of the peak * share of the root's time"},
      {"normalized_time", "Time by nominal clock", Unit::kPs, V::kInt, "of TPUs"},
      {"hbm_bytes", "Bytes in main memory", Unit::kBytes, V::kReal, ""},
      {"on_chip_read_bytes", "Bytes read on chip", Unit::kBytes, V::kReal, ""},
      {"on_chip_written_bytes", "Bytes written on chip", Unit::kBytes, V::kReal, ""},
      {"flops_utilization", "Compute", Unit::kFraction, V::kReal,
       "operations / time / the device's peak"},
      {"hbm_utilization", "Memory", Unit::kFraction, V::kReal, ""},
      {"on_chip_read_use", "Reads on chip", Unit::kFraction, V::kReal, ""},
      {"on_chip_write_use", "Writes on chip", Unit::kFraction, V::kReal, ""},
  };
}

class TreeWriter {
 public:
  TreeWriter(const HloOpTable& ops, const HloTreeNode& root, ResultTable* table)
      : ops_(ops), root_(root), table_(*table) {
    table_.SetColumns(ProfileColumns());
  }

  // Depth first. Trees are as deep as provenances have parts.
  void Add(const HloTreeNode& node, int depth) {
    AddRow(node, depth);
    for (const HloTreeNode& child : node.children) Add(child, depth + 1);
  }

 private:
  double Use(double bytes, Ps time, double peak) const {
    const double rate = Quotient(bytes, static_cast<double>(time) / 1e3) / kGBPerGiB;
    return std::min(1.0, Quotient(rate, peak));
  }

  double PeakOf(const HloTreeNode& node) const {
    return node.op == nullptr || node.op->peak_flops <= 0 ? ops_.peaks.flops : node.op->peak_flops;
  }

  void AddRow(const HloTreeNode& node, int depth) {
    const HloSums& s = node.sums;
    const double time = static_cast<double>(s.time), ns = time / 1e3;
    const double part = Quotient(time, static_cast<double>(root_.sums.time));
    const double normal = s.normalized > 0 ? Quotient(time, static_cast<double>(s.normalized)) : 1;
    const double compute = Quotient(Quotient(s.flops, ns) * normal, PeakOf(node));
    const double hbm = Use(s.hbm, s.time, ops_.peaks.hbm);
    const double n = static_cast<double>(s.occurrences);
    const HloOp* op = node.op;
    const bool whole = op != nullptr && !node.group;
    table_.AddRow({node.name,
                   static_cast<int64_t>(depth),
                   100 * part,
                   100 * compute,
                   100 * hbm,
                   100 * part * (1 - std::clamp(std::max(compute, hbm), 0.0, 1.0)),
                   InUs(s.time),
                   Quotient(InUs(s.time), n),
                   static_cast<int64_t>(s.occurrences),
                   Quotient(s.model_flops, ns),
                   100 * Quotient(s.hbm, root_.sums.hbm),
                   op == nullptr ? node.category : op->category,
                   op == nullptr ? std::string(node.category.empty() ? "" : "0")
                                 : std::to_string(op->program_id),
                   whole ? op->provenance : node.provenance,
                   static_cast<int64_t>(node.children.size() + node.left_out),
                   s.time,
                   s.model_flops,
                   s.flops,
                   std::min(1.0, compute) * part,
                   compute * part,
                   s.normalized,
                   s.hbm,
                   s.on_chip_read,
                   s.on_chip_written,
                   compute,
                   hbm,
                   Use(s.on_chip_read, s.time, ops_.peaks.sram_read),
                   Use(s.on_chip_written, s.time, ops_.peaks.sram_write)});
    table_.links.push_back(whole ? LinkTo(*op) : RowLink());
  }

  const HloOpTable& ops_;
  const HloTreeNode& root_;
  ResultTable& table_;
};

struct TreeDesc {
  const char *id, *title;
  HloGrouping grouping;
  bool idle;
};
constexpr TreeDesc kTrees[] = {
    {"by_program", "By program", HloGrouping::kProgram, true},
    {"by_program_exclude_idle", "By program, without idle time", HloGrouping::kProgram, false},
    {"by_category", "By category", HloGrouping::kCategory, true},
    {"by_category_exclude_idle", "By category, without idle time", HloGrouping::kCategory, false},
    {"by_provenance", "By framework op", HloGrouping::kProvenance, true},
    {"by_provenance_exclude_idle", "By framework op, without idle time", HloGrouping::kProvenance,
     false},
};

}  // namespace

AnalysisResult RunHloProfile(AnalysisContext& context, const AnalysisParams& params) {
  const auto ops = context.Get<HloOpTable>(params);
  AnalysisResult result;
  result.panel = "hlo_profile";
  for (const TreeDesc& tree : kTrees) {
    CheckStop();
    const HloTreeNode root =
        BuildHloTree(*ops, context.Get<HloPrograms>(),
                     {tree.grouping, tree.idle, context.xprof().hlo_rows_limited});
    ResultTable table;
    table.id = tree.id;
    table.title = tree.title;
    TreeWriter(*ops, root, &table).Add(root, 0);
    table.readable.resize(table.size());
    table.readable[0] = "All ops";  // the root has XProf's name
    table.readable_column = 0;
    result.tables.push_back(std::move(table));
  }
  AddHloFacts(*ops, &result);
  result.empty_reason = NoHloOps(context, *ops);
  return result;
}

}  // namespace stepscope
