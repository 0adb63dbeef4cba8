// Time: int64 picoseconds (ps) from the trace's origin, about +-106 days. Arithmetic with numbers
// from a file must saturate. A time becomes floating point only where it becomes pixels.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace stepscope {

using Ps = int64_t;

inline constexpr Ps kPsPerNs = 1'000;
inline constexpr Ps kPsPerUs = 1'000'000;
inline constexpr Ps kPsPerMs = 1'000'000'000;
inline constexpr Ps kPsPerS = 1'000'000'000'000;
inline constexpr Ps kMaxPs = std::numeric_limits<Ps>::max();
inline constexpr Ps kMinPs = std::numeric_limits<Ps>::min();

inline Ps SaturatingAdd(Ps a, Ps b) {
  Ps r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b > 0 ? kMaxPs : kMinPs;
}
inline Ps SaturatingSub(Ps a, Ps b) {
  Ps r;
  if (!__builtin_sub_overflow(a, b, &r)) return r;
  return b < 0 ? kMaxPs : kMinPs;
}
inline Ps SaturatingMul(Ps a, Ps b) {
  Ps r;
  if (!__builtin_mul_overflow(a, b, &r)) return r;
  return (a > 0) == (b > 0) ? kMaxPs : kMinPs;
}

// Half-open range [begin, end).
struct TimeRange {
  Ps begin = 0;
  Ps end = 0;
  Ps length() const { return SaturatingSub(end, begin); }
  bool empty() const { return end <= begin; }
  bool Contains(Ps t) const { return t >= begin && t < end; }
  bool operator==(const TimeRange&) const = default;
};

// "12.345 ms": with `digits` significant digits, in the unit that fits the size (ps, ns, µs, ms,
// s), and with thin spaces (U+2009) between groups of three digits.
std::string FormatDuration(Ps t, int digits = 4);
// Parses "12ms", "1.5 us", "300ns", "2s", "17ps"; a number without a unit is in milliseconds.
// Returns false if the text is no duration.
bool ParseDuration(const std::string& text, Ps* out);

}  // namespace stepscope
