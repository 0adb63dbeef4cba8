// DeviceOpNames finds the framework op of a device event (docs/rules.md#ops): that of its HLO
// instruction, else its tf_op; in traces of PyTorch the op that launched it; for a kernel of a
// graph the op that it was recorded for (docs/graphs.md). Events of one op have one key, which is
// resolved to text once. Views the context, which must outlive it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/graphs/graph_ops.h"
#include "model/analysis/grouping/grouping.h"
#include "model/ancestor_reader.h"
#include "model/capabilities.h"
#include "model/stats.h"

namespace stepscope {

// Two device events with equal keys are of the same op.
struct DeviceOpKey {
  uint32_t tf_op = 0, hlo_op = 0;
  uint32_t meta = 0;  // MetaId + 1; values beyond the trace's metas: ops of graphs
  int64_t program = 0;
  bool empty() const { return (hlo_op | tf_op | meta) == 0; }  // the event has no op
  bool operator==(const DeviceOpKey&) const = default;
};
struct DeviceOpKeyHash {
  size_t operator()(const DeviceOpKey& k) const {
    uint64_t h = (uint64_t{k.tf_op} << 32 | k.hlo_op) * 0x9e3779b97f4a7c15ull;
    h ^= (static_cast<uint64_t>(k.program) + k.meta) * 0xff51afd7ed558ccdull;
    return static_cast<size_t>(h ^ h >> 29);
  }
};

class DeviceOpNames {
 public:
  DeviceOpNames(AnalysisContext& context);

  struct Named {
    std::string key, provenance, fallback;  // key empty: left out
    bool is_kernel = false;                 // a kernel that no op launched
  };
  Named NameOf(const DeviceOpKey& key) const;
  // Reads the keys of a lane's events in order. One thread uses one.
  class Reader {
   public:
    explicit Reader(const DeviceOpNames& names);
    void Seek(uint32_t row);  // called before each part of a lane
    DeviceOpKey KeyOf(uint32_t row, uint32_t meta);
    // The innermost cpu_op around the call that launched the event; invalid if unknown. Any order.
    EventRow LaunchingOp(uint32_t device_row);

   private:
    uint32_t GraphMetaOf(uint32_t row) const;  // 0: none is known

    const DeviceOpNames& names_;
    SparseColumn<StringId>::Cursor tf_op_, hlo_;
    SparseColumn<int64_t>::Cursor program_;
    AncestorReader ancestors_;
  };

 private:
  void NumberGraphOps();
  Named GraphOpNamed(const GraphOp& op) const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const GraphOps& graphs_;
  std::vector<uint32_t> graph_meta_;  // by op of graphs_: the first op of its name; 0: none
  const bool unknown_hlo_left_out_;
  const Capabilities traits_;
  const std::vector<bool> is_op_;  // by MetaId: a cpu_op
};

}  // namespace stepscope
