// GraphRecipe: kernels in the order in which they were recorded, each with the call that says where
// it comes from. Of a capture: the launches between the begin and the end of its recording. Of
// eager steps: the kernels of a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/graphs/name_sequence.h"
#include "model/analysis/grouping.h"
#include "model/trace.h"

namespace stepscope {

// Numbers of kernel names, the same for all traces.
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
  std::vector<EventRow> calls;  // of the names, in the trace that it was read from
};

// What the trace recorded as graphs, by begin: needs launches that name their kernel, as those of
// HIP do. Without a begin of a recording all launches are one, if `whole`. O(events log events).
std::vector<GraphRecipe> RecordedGraphs(const Trace& trace, bool whole, KernelNames* names,
                                        const std::stop_token& stop);
// What the streams of GPUs ran launch by launch. `graph`: by meta, whether a call launches a graph.
// O(events log events).
std::vector<GraphRecipe> EagerStreams(const Trace& trace, const Grouping& grouping,
                                      const std::vector<bool>& graph, KernelNames* names,
                                      const std::stop_token& stop);
// The name of a kernel of a replay; that of a copy or fill is the same whatever it moves.
std::string_view ReplayedName(const NameTable& names, MetaId meta);

}  // namespace stepscope
