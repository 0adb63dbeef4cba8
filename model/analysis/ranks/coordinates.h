// The coordinates of a rank in a name: "dp0_pp0_tp1_rank3", "TP-0-DP-1". Pure functions,
// O(length).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct RankCoordinate {
  std::string axis;  // "dp", "tp", "pp", "ep", "cp", "sp", or "rank" for the rank's number
  int64_t index = 0;
  bool operator==(const RankCoordinate&) const = default;
};

// The first coordinate of each axis, in the order of the name.
std::vector<RankCoordinate> CoordinatesIn(std::string_view name);
// "dp 0, tp 1", without the rank's number.
std::string CoordinatesText(const std::vector<RankCoordinate>& coordinates);

}  // namespace stepscope
