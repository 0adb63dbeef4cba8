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

}  // namespace stepscope
