#include "viewer/panels/stat_text.h"

#include <cmath>
#include <string_view>
#include <type_traits>
#include <variant>

#include "model/analysis/tables/result_table.h"
#include "model/time.h"
#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct TimeEnding {
  std::string_view ending;
  Ps unit;
};
constexpr TimeEnding kTimes[] = {
    {"_ps", 1}, {"_ns", kPsPerNs}, {"_us", kPsPerUs}, {"_ms", kPsPerMs}};

// Whether the numbers of this name count bytes; rates and numbers of something else do not.
bool CountsBytes(std::string_view name) {
  for (const char* no : {"per", "bandwidth", "accessed", "percent", "ratio"})
    if (ContainsLower(name, no)) return false;
  return ContainsLower(name, "bytes") || ContainsLower(name, "_size") ||
         ContainsLower(name, "shared memory") || ContainsLower(name, "memory_residency");
}

}  // namespace

std::string StatText(const Stat& stat) {
  const double value = std::visit(
      [](const auto& v) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) {
          return static_cast<double>(v);
        } else {
          return std::nan("");
        }
      },
      stat.value);
  constexpr double kMostPs = 9e18;
  if (!std::isfinite(value) || value < 0) return ToText(stat);
  if (CountsBytes(stat.name) && value >= 1)
    return WithoutZeros(FormatValue(Value(value), Unit::kBytes));
  for (const TimeEnding& time : kTimes) {
    const double ps = value * static_cast<double>(time.unit);
    if (stat.name.ends_with(time.ending) && ps < kMostPs)
      return WithoutZeros(FormatDuration(static_cast<Ps>(std::llround(ps)), 6));
  }
  return ToText(stat);
}

}  // namespace stepscope
