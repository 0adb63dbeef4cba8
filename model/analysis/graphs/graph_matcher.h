// GraphMatcher finds the recording of which a graph's launch is a replay, by the names and order
// of its kernels on each stream (docs/graphs.md#how-kernels-are-matched). Launches that look the
// same are matched once. One thread uses one. The total work is bounded: after kMostWork
// comparisons of names, launches that look new stay unmatched. Views the recipes, which must
// outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/analysis/graphs/graph_recipe.h"

namespace stepscope {

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
