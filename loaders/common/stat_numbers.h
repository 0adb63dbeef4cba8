// One numbering of the columns of a StatTable, for code that treats them alike: ints, then texts,
// then reals.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/stats.h"

namespace stepscope {

inline constexpr size_t kIntStats = static_cast<size_t>(IntStat::kCount);
inline constexpr size_t kTextStats = static_cast<size_t>(StringStat::kCount);
inline constexpr size_t kRealStats = static_cast<size_t>(RealStat::kCount);
inline constexpr uint32_t kStatColumns = kIntStats + kTextStats + kRealStats;

// Calls fn(column...) with the column of each table that has this number.
template <typename Fn, typename... Tables>
void VisitColumn(size_t number, Fn fn, Tables&... tables) {
  if (number < kIntStats) {
    fn(tables.ints[number]...);
  } else if (number < kIntStats + kTextStats) {
    fn(tables.texts[number - kIntStats]...);
  } else {
    fn(tables.reals[number - kIntStats - kTextStats]...);
  }
}

}  // namespace stepscope
