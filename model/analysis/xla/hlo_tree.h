// HloTree: the ops of a trace as a tree by program, category or provenance: XProf's op profile
// (docs/rules.md#hlo-profile). Pure. O(ops log ops + fused instructions on TPUs).
#pragma once

#include <string>
#include <vector>

#include "model/analysis/xla/hlo_op_table.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {

enum class HloGrouping : uint8_t { kProgram, kCategory, kProvenance };

struct HloTreeNode {
  std::string name;
  HloSums sums;
  const HloOp* op = nullptr;  // of a leaf, or of a group of duplicates the one with most time
  bool group = false;         // of duplicates
  std::string category, provenance;   // of fused instructions, which are no ops
  std::vector<HloTreeNode> children;  // by time, descending
  uint64_t left_out = 0;              // children beyond XProf's 100
};

struct HloTreeOptions {
  HloGrouping grouping = HloGrouping::kProgram;
  bool idle = true;
  bool as_xprof = false;  // with its cuts, and without ops called `region*`
};

HloTreeNode BuildHloTree(const HloOpTable& table, const HloPrograms& programs,
                         const HloTreeOptions& options);

}  // namespace stepscope
