#include "model/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "model/base/digits.h"

namespace stepscope {
namespace {

std::string Fixed(double value, int decimals) {
  char buffer[400];  // the longest double has 309 digits before the point
  std::snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
  return GroupDigits(buffer);
}

struct Unit {
  Ps ps;
  std::string_view text;
};
constexpr std::array<Unit, 5> kUnits = {
    {{kPsPerS, "s"}, {kPsPerMs, "ms"}, {kPsPerUs, "\u00b5s"}, {kPsPerNs, "ns"}, {1, "ps"}}};

int DigitsBeforePoint(double magnitude) {
  int n = 1;
  while (magnitude >= 10) {
    magnitude /= 10;
    ++n;
  }
  return n;
}

}  // namespace

std::string FormatDuration(Ps t, int digits) {
  const double magnitude = std::fabs(static_cast<double>(t));
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && magnitude < static_cast<double>(kUnits[unit].ps)) ++unit;
  for (;; --unit) {
    const double value = magnitude / static_cast<double>(kUnits[unit].ps);
    const int decimals = kUnits[unit].ps == 1 ? 0 : std::max(0, digits - DigitsBeforePoint(value));
    // 999.96 ns would be 1000.0 ns in four digits; the next unit says it better.
    const double step = std::pow(10.0, -decimals);
    if (unit > 0 && std::round(value / step) * step >= 1000) continue;
    const std::string number = Fixed(t < 0 ? -value : value, decimals);
    return number + " " + std::string(kUnits[unit].text);
  }
}

bool ParseDuration(const std::string& text, Ps* out) {
  std::string_view rest(text);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  double number = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (parsed.ec != std::errc() || !std::isfinite(number)) return false;
  rest.remove_prefix(static_cast<size_t>(parsed.ptr - rest.data()));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  Ps unit = 0;
  if (rest.empty()) unit = kPsPerMs;
  if (rest == "us" || rest == "\u03bcs")
    unit = kPsPerUs;  // the Greek letter; the table has the micro sign
  for (const Unit& u : kUnits) {
    if (rest == u.text) unit = u.ps;
  }
  if (unit == 0) return false;
  const double ps = std::round(number * static_cast<double>(unit));
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(ps < kLimit && ps >= -kLimit)) return false;
  *out = static_cast<Ps>(ps);
  return true;
}

}  // namespace stepscope
