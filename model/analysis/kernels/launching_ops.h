// LaunchingOps: finds the framework op of a kernel that Kineto recorded: the cpu_op with its
// External id, else the op around the call that launched it. The AnalysisContext keeps one for a
// profile. The trace must outlive it. Immutable; any thread may ask. O(events) to build; 4 bytes an
// id where ids are dense, else an entry of a hash map.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/ancestor_reader.h"
#include "model/event_rows.h"
#include "model/sparse_column.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

class LaunchingOps {
 public:
  static LaunchingOps Compute(AnalysisContext& context);
  LaunchingOps(const Trace& trace, const StatTable& stats);
  // Invalid if there is none. `ancestors`: of the caller's thread.
  EventRow Find(int64_t external_id, int64_t correlation, AncestorReader* ancestors) const;
  // Empty if there is none.
  std::string_view NameOf(int64_t external_id, int64_t correlation,
                          AncestorReader* ancestors) const;

 private:
  // The first row of each id.
  struct FirstRows {
    RowsById table;
    std::unordered_map<int64_t, uint32_t> sparse;  // where ids are not dense
    EventRow Find(int64_t id) const;
  };
  void Index(const SparseColumn<int64_t>& ids, const std::vector<bool>& wanted,
             FirstRows* out) const;

  const Trace& trace_;
  std::vector<bool> is_op_;  // by MetaId
  FirstRows by_external_id_, by_correlation_;
};

}  // namespace stepscope
