// Numbers of a table column or chart as text: one unit and one number of decimals for a whole
// column, chosen from its largest value; thin spaces between groups of three digits. Writes into
// the caller's buffer: no allocation per cell. Pure, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/cells.h"  // IWYU pragma: export
#include "model/analysis/tables/result_table.h"

namespace stepscope {

struct NumberFormat {
  double scale = 1;  // the text shows value * scale
  int decimals = 0;
  const char* header = "";  // unit for the column's header, "µs"
  const char* suffix = "";  // after each value, " %"
};

// `max_abs` is the largest absolute value of the column, in the column's own unit.
NumberFormat FormatFor(Unit unit, ValueType type, double max_abs);
// At most 63 bytes; "–" for NaN and infinity.
std::string_view WriteNumber(double value, const NumberFormat& format, std::span<char, 64> buffer);
std::string NumberText(double value, const NumberFormat& format);

// Drops needless zeros: "95.0000 us" becomes "95 us".
std::string WithoutZeros(std::string text);

// The dimension of a unit, and its size in the base unit (ps, bytes, percent).
enum class Dimension { kNone, kTime, kBytes, kPercent };
Dimension DimensionOf(Unit unit);
double BaseFactor(Unit unit);

}  // namespace stepscope
