// Finds the typed column (model/stats.h) of a stat by its name (docs/xspace.md#stats). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/stats.h"

namespace stepscope::xplane {

struct StatColumn {
  enum class Kind : uint8_t { kNone, kInt, kText, kReal };
  Kind kind = Kind::kNone;
  uint8_t column = 0;  // an IntStat, StringStat or RealStat
  // "shape": a tensor's on memory events, a kernel's operands' on others
  bool memory_shape = false;
};
StatColumn ColumnOf(std::string_view stat_name);

}  // namespace stepscope::xplane
