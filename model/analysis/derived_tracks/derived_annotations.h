// Annotator turns the annotations of a stream's kernels into nested lines: XLA modules and ops,
// framework ops, name scopes and source code (docs/rules.md#derived-lines). Views the trace,
// which must outlive it. One thread uses one. O(events * levels).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/derived_tracks/derived_names.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/intervals/nested_span_builder.h"
#include "model/stats.h"

namespace stepscope {

// The lines under construction of one stream.
struct AnnotationLines {
  NestedSpanBuilder scopes, ops, modules, xla_ops, source;
};

class Annotator {
 public:
  Annotator(const Trace& trace, const StatTable& stats, const EventOrder& order,
            const Grouping& grouping, DerivedNames* names);

  // Adds the stream's kernels: the events with kernel_details or of a CUDA graph. Copies have no
  // annotations.
  void Annotate(const Track& stream, AnnotationLines* lines);
  // Adds the framework ops and sources of all events of a TPU core but the asynchronous ones.
  void AnnotateCore(const Plane& core, AnnotationLines* lines);

 private:
  struct Stats;  // of an event
  struct TfOp {  // what a full op name says
    uint32_t meta = 0;
    std::vector<uint32_t> scopes;  // metas, outermost first; only TensorFlow and JAX have them
  };
  struct XlaOp {  // what a (program, module, op) says
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
  void AddTfOp(const TfOp& op, const NestedSpanBuilder::Source& source, AnnotationLines* lines);

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  const Grouping& grouping_;
  DerivedNames& names_;
  std::unordered_map<std::string_view, TfOp> tf_ops_;  // keys view names of the stats, or owned_
  std::vector<const TfOp*> tf_op_of_text_;             // by StringId of the stats
  std::vector<std::unique_ptr<std::string>> owned_;    // full names put together here
  std::unordered_map<XlaKey, XlaOp, XlaKeyHash> xla_ops_;
};

}  // namespace stepscope
