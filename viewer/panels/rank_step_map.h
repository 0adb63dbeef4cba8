// RankStepMap: a value of each rank in each step as colours, for the panels of ranks and of fleets.
// UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "viewer/widgets/heat_map.h"

namespace stepscope {

struct RankStepMap {
  HeatMapData map;                    // its values in microseconds; unit_text is the caller's
  std::vector<int64_t> ranks, steps;  // numbers, by row and by column of the map
  std::vector<int> rows;              // by cell: row of the table of steps, or -1
  int RowAt(const HeatCell& cell) const { return rows[cell.row * steps.size() + cell.column]; }
};

// The map of a column of the table of steps, which also has "rank" and "step". `ranks`: their
// numbers in the order of the map. `column` null: the cells have no values yet. `us`: of one unit
// of the column. O(cells + rows)
RankStepMap MakeRankStepMap(std::vector<int64_t> ranks, const ResultTable& table,
                            const char* column, double us);
// Draws it at the cursor, at most as high as this part of the room below, or as `least` pixels.
HeatMapAnswer DrawRankStepMap(const PanelContext& context, const RankStepMap& map, float least,
                              float part);

// "1.2 ms" of a time in microseconds.
std::string UsText(double us);
// A cell as a number; NaN without a value or column. -1: no whole number.
double NumberIn(const ResultTable& table, size_t row, int column);
int64_t WholeIn(const ResultTable& table, size_t row, int column);

}  // namespace stepscope
