// This folder finds the op, module and layer from which each kernel of a CUDA or HIP graph, or of
// an XLA command buffer, comes, and how sure that is (docs/graphs.md). A replay does not say it,
// because one call launches all its kernels. In: a trace, the captures read with it, and its HLO.
// Out: GraphOps. Start here: graph_replays.h lists the kernels of each launch, graph_matcher.h the
// recordings, and assigns one to the other by name_sequence.h, hlo_kernels.h looks up kernels in
// the HLO, and module_tree.h finds modules. Everything is a pure function of the trace and its
// captures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/graphs/module_tree.h"

namespace stepscope {

enum class GraphSourceKind : uint8_t { kCaptureFile, kRecordedHere, kEagerHere, kHlo };

// A place in which ops of graphs were found.
struct GraphSource {
  GraphSourceKind kind = GraphSourceKind::kHlo;
  const Trace* trace = nullptr;
  std::string file, mode;                               // the capture's; else empty
  int64_t batch_size = -1;                              // -1: unknown
  std::shared_ptr<const ModuleTree> modules = nullptr;  // null for kHlo
};
std::string SourceText(const GraphSource& source);  // "capture bs_32_rank0.json.gz"

struct GraphOp {
  uint32_t source = 0;
  EventRow op, module;  // in the source's trace; invalid where there is none
  const HloInstruction* hlo = nullptr;
  std::string_view instruction = {};  // of kHlo
  int64_t program = 0;                // of kHlo
};

struct GraphLaunch {
  EventRow call;                  // invalid: only the graph's id is known
  uint32_t source = 0xffffffffu;  // the place of its ops; 0xffffffff: not found
  uint32_t kernels = 0, matched = 0;
  uint32_t alike = 0;  // recordings that fit equally well, the one taken included
  // The share of its kernels that are found in the recording by name and order, 0 to 1.
  double confidence() const { return kernels > 0 ? static_cast<double>(matched) / kernels : 0; }
};

struct GraphKernel {
  uint32_t row = 0, op = 0, launch = 0;
};

// Views the trace and its captures, which must outlive it. Immutable, so any thread may read it.
// Takes 12 bytes a kernel.
struct GraphOps {
  std::vector<GraphSource> sources;
  std::vector<GraphOp> ops;
  std::vector<GraphLaunch> launches;  // launches of graphs that have kernels, by call
  std::vector<GraphKernel> kernels;   // kernels whose op was found, by row

  const GraphKernel* Find(uint32_t row) const;       // null: not found. O(log n)
  std::string_view NameOf(const GraphOp& op) const;  // empty: only its module is known
  std::string ModuleOf(const GraphOp& op) const;     // "Qwen3Model_0 / RMSNorm_7", or empty
  std::string_view LayerOf(const GraphOp& op) const;
  // "[[32, 4096], [24576, 4096]]", read from the file at each call; empty where shapes were not
  // recorded.
  std::string ShapesOf(const GraphOp& op) const;

  // Empty with XProf's definitions, and at once where the trace launches no graphs. O(n log n) in
  // the kernels; GraphMatcher bounds the work of matching.
  static GraphOps Compute(AnalysisContext& context);
};

}  // namespace stepscope
