// GraphOps: which op, module and layer each kernel of a CUDA or HIP graph, or of an XLA command
// buffer, comes from, and how sure that is (docs/graphs.md). A replay does not say it: its kernels
// have one launch. It is found in captures beside the trace, in recordings and eager steps in it,
// and by kernel names in its HLO. A pure function of a trace and what lies beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/graphs/module_tree.h"

namespace stepscope {

enum class GraphSourceKind : uint8_t { kCaptureFile, kRecordedHere, kEagerHere, kHlo };

// Where ops of graphs were found.
struct GraphSource {
  GraphSourceKind kind = GraphSourceKind::kHlo;
  const Trace* trace = nullptr;
  std::string file, mode;                               // of a capture
  int64_t batch_size = -1;                              // -1: unknown
  std::shared_ptr<const ModuleTree> modules = nullptr;  // null of kHlo
};
std::string SourceText(const GraphSource& source);  // "capture bs_32_rank0.json.gz"

struct GraphOp {
  uint32_t source = 0;
  EventRow op, module;  // of the source's trace; invalid where there is none
  const HloInstruction* hlo = nullptr;
  std::string_view instruction = {};  // of kHlo
  int64_t program = 0;                // of kHlo
};

struct GraphLaunch {
  EventRow call;                  // invalid: only the graph's id is known
  uint32_t source = 0xffffffffu;  // where its ops were found, if they were
  uint32_t kernels = 0, matched = 0;
  uint32_t alike = 0;  // recordings that fit as well as the one that was taken, itself included
  // The share of its kernels that lie in the recording by name and order: how sure one is.
  double confidence() const { return kernels > 0 ? static_cast<double>(matched) / kernels : 0; }
};

struct GraphKernel {
  uint32_t row = 0, op = 0, launch = 0;
};

// Views the trace and its captures, which must outlive it. Immutable. 12 bytes a kernel.
struct GraphOps {
  std::vector<GraphSource> sources;
  std::vector<GraphOp> ops;
  std::vector<GraphLaunch> launches;  // of graphs with kernels, by call
  std::vector<GraphKernel> kernels;   // whose op was found, by row

  const GraphKernel* Find(uint32_t row) const;       // null: not found. O(log n)
  std::string_view NameOf(const GraphOp& op) const;  // empty: only its module is known
  std::string ModuleOf(const GraphOp& op) const;     // "Qwen3Model_0 / RMSNorm_7", or empty
  std::string_view LayerOf(const GraphOp& op) const;
  // "[[32, 4096], [24576, 4096]]", read from the file; empty where they were not recorded.
  std::string ShapesOf(const GraphOp& op) const;
};

// Empty with the definitions of XProf, and at once where the trace launches no graphs. O(n log n)
// in the kernels, with a bound for what is matched (GraphMatcher).
GraphOps ComputeGraphOps(AnalysisContext& context, const std::stop_token& stop);

}  // namespace stepscope
