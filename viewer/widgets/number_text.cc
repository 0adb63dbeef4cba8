#include "viewer/widgets/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "model/base/digits.h"
#include "model/base/key_table.h"

namespace stepscope {
namespace {

struct Step {
  const char* name;
  double base;  // in ps or bytes
};
constexpr Step kTimes[] = {{"ps", 1}, {"ns", 1e3}, {"\u00b5s", 1e6}, {"ms", 1e9}, {"s", 1e12}};
constexpr Step kSizes[] = {{"B", 1},
                           {"KiB", 1024.0},
                           {"MiB", 1024.0 * 1024},
                           {"GiB", 1024.0 * 1024 * 1024},
                           {"TiB", 1024.0 * 1024 * 1024 * 1024}};

// The largest unit that leaves the maximum at least `least`.
const Step& Choose(std::span<const Step> steps, double base_value, double least) {
  size_t i = 0;
  while (i + 1 < steps.size() && base_value >= least * steps[i + 1].base) ++i;
  return steps[i];
}

// The column's own unit, unless its largest value is under 1 or has more than five digits in it.
const Step& ChooseTime(double max_ps, double own_base) {
  size_t i = 0;
  while (i + 1 < std::size(kTimes) && kTimes[i].base < own_base) ++i;
  while (i > 0 && max_ps > 0 && max_ps < kTimes[i].base) --i;
  while (i + 1 < std::size(kTimes) && max_ps >= 1e5 * kTimes[i].base) ++i;
  return kTimes[i];
}

int Decimals(double max_abs) { return max_abs >= 100 ? 1 : max_abs >= 10 ? 2 : 3; }

}  // namespace

Dimension DimensionOf(Unit unit) {
  using enum Dimension;
  static constexpr std::pair<Unit, Dimension> kDimensions[] = {
      {Unit::kPs, kTime},         {Unit::kNs, kTime},         {Unit::kUs, kTime},
      {Unit::kMs, kTime},         {Unit::kBytes, kBytes},     {Unit::kGiB, kBytes},
      {Unit::kPercent, kPercent}, {Unit::kFraction, kPercent}};
  return FindValue(kDimensions, unit, kNone);
}

double BaseFactor(Unit unit) {
  static constexpr std::pair<Unit, double> kFactors[] = {{Unit::kNs, 1e3},
                                                         {Unit::kUs, 1e6},
                                                         {Unit::kMs, 1e9},
                                                         {Unit::kGiB, kSizes[3].base},
                                                         {Unit::kFraction, 100}};
  return FindValue(kFactors, unit, 1);
}

NumberFormat FormatFor(Unit unit, ValueType type, double max_abs) {
  const double base = BaseFactor(unit);
  switch (DimensionOf(unit)) {
    case Dimension::kTime: {
      const Step& step = ChooseTime(max_abs * base, base);
      const double shown = max_abs * base / step.base;
      return {base / step.base, step.base <= 1 ? 0 : Decimals(shown), step.name, ""};
    }
    case Dimension::kBytes: {
      const Step& step = Choose(kSizes, max_abs * base, 1);
      return {base / step.base, step.base <= 1 ? 0 : Decimals(max_abs * base / step.base),
              step.name, ""};
    }
    case Dimension::kPercent:
      return {base, 1, "", " %"};
    case Dimension::kNone:
      break;
  }
  const char* header = unit == Unit::kGflops ? "GFLOP/s" : "";
  return {1, type == ValueType::kInt ? 0 : Decimals(max_abs), header, ""};
}

std::string_view WriteNumber(double value, const NumberFormat& format, std::span<char, 64> buffer) {
  constexpr std::string_view kDash = "\u2013";
  const double shown = value * format.scale;
  std::array<char, 40> digits{};
  const int n = std::isfinite(shown) && std::fabs(shown) < 1e18
                    ? std::snprintf(digits.data(), digits.size(), "%.*f", format.decimals, shown)
                    : 0;
  if (n <= 0) {
    std::memcpy(buffer.data(), kDash.data(), kDash.size());
    return {buffer.data(), kDash.size()};
  }
  const size_t out = GroupDigits({digits.data(), static_cast<size_t>(n)}, buffer.data());
  const size_t suffix = std::min(std::strlen(format.suffix), buffer.size() - out);
  std::memcpy(buffer.data() + out, format.suffix, suffix);
  return {buffer.data(), out + suffix};
}

std::string NumberText(double value, const NumberFormat& format) {
  std::array<char, 64> buffer{};
  return std::string(WriteNumber(value, format, buffer));
}

std::string WithoutZeros(std::string text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return text;
  size_t end = std::min(text.find(' '), text.size());
  size_t keep = end;
  while (keep > dot && (text[keep - 1] == '0' || text[keep - 1] == '.')) --keep;
  text.erase(keep, end - keep);
  return text;
}

}  // namespace stepscope
