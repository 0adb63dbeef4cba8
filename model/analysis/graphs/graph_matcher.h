// GraphMatcher finds the recording of which a graph's launch is a replay, by the names and order
// of its kernels on each stream (docs/graphs.md#how-kernels-are-matched). Launches that look the
// same are matched once. One thread uses one. The total work is bounded: after kMostWork
// comparisons of names, launches that look new stay unmatched. Views the recipes, which must
// outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/analysis/graphs/name_sequence.h"
#include "model/analysis/grouping/grouping.h"
#include "model/trace.h"

namespace stepscope {

// GraphRecipe: kernels in the order in which they were recorded, each with the call from which
// its op is found. The recipe of a capture holds the launches between the begin and the end of
// its recording; that of eager steps holds the kernels of a stream.

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

// A recording to choose from.
struct GraphCandidate {
  const GraphRecipe* recipe = nullptr;
  uint32_t file = 0;        // number of the recording's file
  int64_t batch_size = -1;  // -1: unknown
};

// The numbers of a launch's kernel names by stream, in order of time.
using StreamNames = std::vector<std::vector<uint32_t>>;

struct GraphMatch {
  uint32_t candidate = kUnmatched;
  uint32_t alike = 0;  // recordings that fit equally well, itself included
  const std::vector<std::vector<uint32_t>>* to = nullptr;  // places in the recipe, as StreamNames
  size_t matched = 0;
};

class GraphMatcher {
 public:
  static constexpr uint64_t kMostWork = 20'000'000;
  static constexpr double kLeastShare =
      0.5;                                  // of a launch's kernels; with fewer it is another graph
  static constexpr size_t kLeastEager = 8;  // kernels in a row that identify eager work

  explicit GraphMatcher(std::vector<GraphCandidate> candidates)
      : candidates_(std::move(candidates)) {}

  // If several recordings fit equally well, one with that batch size wins (-1: unknown), then the
  // one in the first file. Several in one file take turns, because a graph for each layer is
  // recorded in the order in which it runs. O(names log names) for each candidate, O(log
  // launches) for a launch that was seen before.
  GraphMatch Match(const StreamNames& launch, int64_t batch_size);

 private:
  struct Fit {
    uint32_t candidate = kUnmatched;
    std::vector<std::vector<uint32_t>> to;
  };
  struct Known {  // the match of launches that look the same
    std::vector<Fit> best;
    size_t matched = 0;
    std::map<uint32_t, size_t> turns;  // by file
  };

  Known Find(const StreamNames& launch);
  size_t FitTo(const GraphRecipe& recipe, const StreamNames& launch, Fit* fit);
  void Consider(uint32_t candidate, const StreamNames& launch, Known* known);

  std::vector<GraphCandidate> candidates_;
  std::map<StreamNames, Known> known_;
  uint64_t work_ = 0;
};

}  // namespace stepscope
