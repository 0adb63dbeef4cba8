// RankStepMap: a value of each rank in each step as colours, for the panels of ranks and of fleets.
// UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "viewer/widgets/heat_map.h"

namespace stepscope {

// The numbers of a rank and a step, and a value of theirs in microseconds; NaN: none.
struct RankStepValue {
  int64_t rank, step;
  double us;
};

struct RankStepMap {
  HeatMapData map;                    // its values in microseconds; unit_text is the caller's
  std::vector<int64_t> ranks, steps;  // numbers, by row and by column of the map
  std::vector<int> indices;           // by cell: of the value, or -1
  int IndexAt(const HeatCell& cell) const { return indices[cell.row * steps.size() + cell.column]; }
};

// The map of the values 0 to `count` - 1. `ranks`: their numbers in the order of the map.
// O(cells + count), with two calls of `value_of` for each value.
RankStepMap MakeRankStepMap(std::vector<int64_t> ranks, size_t count,
                            const std::function<RankStepValue(size_t)>& value_of);
// Draws it at the cursor, at most as high as this part of the room below, or as `least` pixels.
HeatMapAnswer DrawRankStepMap(const PanelContext& context, const RankStepMap& map, float least,
                              float part);

// "1.2 ms" of a time in microseconds.
std::string UsText(double us);

}  // namespace stepscope
