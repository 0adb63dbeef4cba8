// Which typed column (model/stats.h) a stat of a given name goes to (docs/xspace.md#stats). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/stats.h"

namespace stepscope::xplane {

struct StatColumn {
  enum class Kind : uint8_t { kNone, kInt, kText, kReal };
  Kind kind = Kind::kNone;
  uint8_t column = 0;  // an IntStat, StringStat or RealStat
  bool memory_shape =
      false;  // "shape": of a tensor on memory events, of a kernel's operands elsewhere
};
StatColumn ColumnOf(std::string_view stat_name);

}  // namespace stepscope::xplane
