// GraphRecipe: kernels in the order in which they were recorded, each with the call from which
// its op is found. The recipe of a capture holds the launches between the begin and the end of
// its recording; that of eager steps holds the kernels of a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/graphs/name_sequence.h"
#include "model/analysis/grouping/grouping.h"
#include "model/trace.h"

namespace stepscope {

// Numbers kernel names, alike for all traces. One thread uses one.
class KernelNames {
 public:
  uint32_t Of(std::string_view name);

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

enum class RecipeKind : uint8_t { kCapture, kEager };

struct GraphRecipe {
  RecipeKind kind = RecipeKind::kCapture;
  NameSequence names{{}};
  std::vector<EventRow> calls;  // as names; rows of the trace that the recipe was read from
};

// The recordings of graphs in the trace, by begin. Their launches must name their kernel, as
// those of HIP do. `whole`: a trace without the begin of a recording is one recording. O(events
// log events).
std::vector<GraphRecipe> RecordedGraphs(const Trace& trace, bool whole, KernelNames* names);
// The kernels that streams of GPUs ran launch by launch. `graph`: by meta, whether a call
// launches a graph. O(events log events).
std::vector<GraphRecipe> EagerStreams(const Trace& trace, const Grouping& grouping,
                                      const std::vector<bool>& graph, KernelNames* names);
// The name by which a kernel of a replay is matched; all copies, and all fills, have one name.
std::string_view ReplayedName(const NameTable& names, MetaId meta);

}  // namespace stepscope
