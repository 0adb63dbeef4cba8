// The pages that are made of HloOpTable (xla/hlo_ops.h): hlo_stats, whose rows are the ops of the
// table, hlo_profile and roofline. Values; any thread. Times are ps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_ops.h"

namespace stepscope {

// Why a page shows no ops, and what to record; "" if there are some.
std::string NoHloOps(AnalysisContext& context, const HloOpTable& table);
// Adds the facts that all pages of HLO ops tell: peaks, unknown costs, dropped events.
void AddHloFacts(const HloOpTable& table, AnalysisResult* result);
RowLink LinkTo(const HloOp& op);

// An op with its rates, as tables have it.
struct RatedOp {
  std::shared_ptr<const HloOp> op;
  HloRates rates;
  double share = 0, cumulative = 0;  // of the devices' time; of the ops up to this one
};
// Columns of RatedOp: a member of its op or of its rates.
auto OfOp(auto member) {
  return [member](const RatedOp& row) -> const auto& { return (*row.op).*member; };
}
auto OfRates(auto member) {
  return [member](const RatedOp& row) { return row.rates.*member; };
}

enum class HloGrouping : uint8_t { kProgram, kCategory, kProvenance };

// A node of a tree of ops: a program, a category, a part of a provenance, an op, a group of ops
// with one deduplicated name, or an instruction of a fusion.
struct HloTreeRow {
  std::string name;
  int depth = 0;  // 0: the root
  HloSums sums;
  const HloOp* op = nullptr;         // of a group the one with most time; null for other nodes
  bool group = false;                // of duplicates
  std::string category, provenance;  // of fused instructions, which are no ops
  uint64_t children = 0;             // with those beyond XProf's 100, which have no rows

  const HloOp* only_op() const { return group ? nullptr : op; }  // null: the row is no single op
  // The name for people: XProf's name of the root says how the tree is grouped.
  const char* shown() const { return depth == 0 ? "All ops" : name.c_str(); }
};

// The ops as trees by program, category and provenance: XProf's op profile
// (docs/rules.md#hlo-profile).
struct HloProfile {
  std::shared_ptr<const HloOpTable> ops;  // rows point to them
  // By grouping; the first of two has idle time. The root first; the children of a row follow it,
  // by time, the largest first.
  std::array<std::array<std::vector<HloTreeRow>, 2>, 3> trees;

  // O(ops log ops + fused instructions on TPUs).
  static HloProfile Compute(AnalysisContext& context, const AnalysisParams& params);
};

// A row of rank 0 is the whole program, or the program in one step.
struct RooflineRow : RatedOp {
  std::string step;  // "Total": the whole recording; else the step's number, or "Average"
  int64_t rank = 0;
  double time_share = 0;  // of the devices' time, with the ops inside
  bool is_program() const { return rank == 0; }
};

struct Roofline {
  std::shared_ptr<const HloOpTable> ops;
  std::vector<RooflineRow> rows;           // the program, its ops by self time, its steps
  std::vector<RooflineRow> without_feeds;  // without infeed and outfeed; empty if there are none
  // GiB/s, 0: not known. On TPUs of VMEM, elsewhere of the on-chip memory.
  double peak_on_chip = 0;

  // O(ops + events of ops * log steps).
  static Roofline Compute(AnalysisContext& context, const AnalysisParams& params);
};
// Operations a byte below which a memory of GiB/s is the limit; 0: not known.
double RidgePoint(double peak_gflops, double peak_gib_per_s);
inline constexpr const char* kRidgeHow = "peak GFLOP/s / peak GB/s: below it, memory is the limit";

}  // namespace stepscope
