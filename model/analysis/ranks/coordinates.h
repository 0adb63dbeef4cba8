// What names say about a rank: "dp0_pp0_tp1_rank3", "TP-0-DP-1". Pure. O(length).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct RankCoordinate {
  std::string axis;  // "dp", "tp", "pp", "ep", "cp", "sp"; "rank" is the number itself
  int64_t index = 0;
  bool operator==(const RankCoordinate&) const = default;
};

// The first of each axis, as they stand in the name.
std::vector<RankCoordinate> CoordinatesIn(std::string_view name);
// "dp 0, tp 1"; without the rank's number.
std::string CoordinatesText(const std::vector<RankCoordinate>& coordinates);

}  // namespace stepscope
