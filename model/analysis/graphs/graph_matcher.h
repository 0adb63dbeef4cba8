// GraphMatcher: which recording the kernels of a graph's launch are, by their names and order on
// each stream. What looks the same is matched once. One thread uses one. All work together is
// bounded: beyond kMostWork names that were compared, launches that look new stay unmatched.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/analysis/graphs/graph_recipe.h"

namespace stepscope {

// A recording that could be chosen.
struct GraphCandidate {
  const GraphRecipe* recipe = nullptr;
  uint32_t file = 0;        // recordings of one file have the same number
  int64_t batch_size = -1;  // -1: unknown
};

// The kernels of a launch: names by stream, in order of time.
using StreamNames = std::vector<std::vector<uint32_t>>;

struct GraphMatch {
  uint32_t candidate = kUnmatched;
  uint32_t alike = 0;  // recordings that fit as well, itself included
  const std::vector<std::vector<uint32_t>>* to = nullptr;  // places in the recipe, as StreamNames
  size_t matched = 0;
};

class GraphMatcher {
 public:
  static constexpr uint64_t kMostWork = 20'000'000;
  static constexpr double kLeastShare = 0.5;  // of a launch's kernels; with fewer it is another one
  static constexpr size_t kLeastEager = 8;    // kernels that make a stretch of eager work unique

  explicit GraphMatcher(std::vector<GraphCandidate> candidates)
      : candidates_(std::move(candidates)) {}

  // Of recordings that fit as well, one of that batch size wins, then the first file; several in a
  // file take turns, because a graph for each layer is recorded in the order in which they run.
  GraphMatch Match(const StreamNames& launch, int64_t batch_size);

 private:
  struct Fit {
    uint32_t candidate = kUnmatched;
    std::vector<std::vector<uint32_t>> to;
  };
  struct Known {  // of launches that look the same
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
