// What the kernels of a stream say about where they come from, as nested lines: XLA modules and
// ops, framework ops, name scopes, source code (docs/rules.md#derived-lines). O(events * levels),
// one thread a plane.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/derived_names.h"
#include "model/analysis/event_order.h"
#include "model/analysis/grouping.h"
#include "model/analysis/level_line.h"
#include "model/stats.h"

namespace stepscope {

// The lines of one stream.
struct AnnotationLines {
  LevelLine scopes, ops, modules, xla_ops, source;
};

class Annotator {
 public:
  Annotator(const Trace& trace, const StatTable& stats, const EventOrder& order,
            const Grouping& grouping, DerivedNames* names);

  // Kernels only: events with kernel_details, or of a CUDA graph. Copies say nothing.
  void Annotate(const Track& stream, AnnotationLines* lines);
  // Of a TPU core: the framework ops and sources of all its events but asynchronous ones.
  void AnnotateCore(const Plane& core, AnnotationLines* lines);

 private:
  struct Stats;  // of one event
  struct TfOp {  // of one full name
    uint32_t meta = 0;
    std::vector<uint32_t> scopes;  // outermost first; empty unless of TensorFlow or JAX
  };
  struct XlaOp {  // of one (program, module, op)
    uint32_t module = kNone, source = kNone;
    std::vector<uint32_t> levels;
    const TfOp* tf_op = nullptr;
  };
  struct XlaKey {
    int64_t program;
    uint32_t module, op;
    bool operator==(const XlaKey&) const = default;
  };
  struct XlaKeyHash {
    size_t operator()(const XlaKey& k) const {
      uint64_t h = (static_cast<uint64_t>(k.program) ^ uint64_t{k.module} << 32 ^ k.op) *
                   0x9e3779b97f4a7c15ull;
      return static_cast<size_t>(h ^ h >> 29);
    }
  };
  static constexpr uint32_t kNone = 0xffffffffu;

  const TfOp* TfOpOf(std::string_view full_name);
  const XlaOp& XlaOpOf(const XlaKey& key);
  void AddTfOp(const TfOp& op, const LevelLine::Source& source, AnnotationLines* lines);

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  const Grouping& grouping_;
  DerivedNames& names_;
  std::unordered_map<std::string_view, TfOp> tf_ops_;  // views into the stats' or the HLO's names
  std::vector<const TfOp*> tf_op_of_text_;             // by StringId of the stats
  std::vector<std::unique_ptr<std::string>> owned_;    // full names that stand nowhere as they are
  std::unordered_map<XlaKey, XlaOp, XlaKeyHash> xla_ops_;
};

}  // namespace stepscope
