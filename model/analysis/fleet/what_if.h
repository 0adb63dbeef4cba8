// Computes how long steps would be without stragglers, and whose share the slowdown is
// (docs/fleet.md#what-if, which says where the formulas differ from their source). The question is
// that of "Understanding Stragglers in Large Model Training Using What-if Analysis" (OSDI 2025,
// arXiv 2505.05713): the job is simulated with the recorded times, with ideal times, and with ideal
// times for a part of the work only. A share is (T - T of the part) / (T - T ideal). Shares need
// not add up to 1: they overlap.
//
// The simulation: each rank works, then joins its next collective; a collective begins when its
// last participant has come, and lasts its transfer. The ideal work before a collective is the mean
// over ranks and steps of the work at the same place of a step; the ideal transfer is the median of
// the collectives of equal name, size and number of participants. Pure. Times are in ps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/analysis/ranks/put_together.h"

namespace stepscope {

struct WhatIf {
  int64_t steps = 0;
  double step = 0;   // mean time of a step, simulated with the recorded times
  double ideal = 0;  // the same with ideal times
  // Shares; nothing where the slowdown is under a thousandth.
  std::optional<double> slowest_ranks;  // of the 3 % of ranks with the most work above the ideal
  std::vector<uint32_t> slowest;        // those ranks, the slowest first
  std::optional<double> stage_share;    // of the pipeline stage that has the largest share
  int64_t stage = -1;                   // that stage; -1: ranks have no stages
  // The share of work that takes a rank's devices longer in one step than in others, as longer
  // sequences do.
  std::optional<double> uneven_input;
  std::optional<double> network;  // of transfers
  double Slowdown() const { return ideal > 0 ? step / ideal : 1; }
};

// `facts` and `job` belong together. O(calls log calls).
WhatIf AskWhatIf(std::span<const RankFacts> facts, const RankJob& job);

}  // namespace stepscope
