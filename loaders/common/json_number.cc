#include "loaders/common/json_number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "model/base/ascii.h"

namespace stepscope::json {
namespace {

constexpr int kMaxDigits = 30;       // digits kept; 10^31 < 2^126
constexpr unsigned kMicrosToPs = 6;  // a microsecond is 10^6 picoseconds

struct Decimal {
  Int128 digits = 0;
  int exponent = 0;
  bool negative = false;
};

// Parses [-+] digits [. digits] [e [-+] digits], with at least one digit before the exponent.
bool ParseDecimal(std::string_view s, Decimal* out) {
  size_t i = 0;
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) out->negative = s[i++] == '-';
  int kept = 0;
  bool any = false, point = false;
  for (; i < s.size(); ++i) {
    if (s[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (!IsDigit(s[i])) break;
    any = true;
    if (kept < kMaxDigits) {
      out->digits = out->digits * 10 + (s[i] - '0');
      if (out->digits != 0) ++kept;
      if (point) --out->exponent;
    } else if (!point) {
      ++out->exponent;
    }
  }
  if (!any) return false;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    bool minus = false;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) minus = s[i++] == '-';
    if (i >= s.size() || !IsDigit(s[i])) return false;
    int e = 0;
    for (; i < s.size() && IsDigit(s[i]); ++i) {
      if (e < 100'000) e = e * 10 + (s[i] - '0');
    }
    out->exponent += minus ? -e : e;
  }
  return i == s.size();
}

// value * 10^exponent, rounded half away from zero; false when it is too large.
bool Scale(Int128* value, int exponent) {
  constexpr Int128 kLimit = std::numeric_limits<Int128>::max() / 16;
  if (*value == 0) return true;
  for (; exponent > 0; --exponent) {
    if (*value > kLimit) return false;
    *value *= 10;
  }
  if (exponent < -kMaxDigits - 1) {
    *value = 0;
    return true;
  }
  Int128 divisor = 1;
  for (; exponent < 0; ++exponent) divisor *= 10;
  *value = (*value + divisor / 2) / divisor;
  return true;
}

// Parses eight digits at once, with three multiplications; false when one is no digit. Timestamps
// that count from 1970 have sixteen.
bool EightDigits(const char* text, uint64_t* value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  uint64_t x;
  std::memcpy(&x, text, sizeof x);
  const uint64_t high = x & 0xf0f0f0f0f0f0f0f0u,
                 carry = (x + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u;
  if (high != 0x3030303030303030u || carry != 0x3030303030303030u) return false;
  x -= 0x3030303030303030u;
  x = x * 10 + (x >> 8);  // pairs
  constexpr uint64_t kMask = 0x000000ff000000ffu;
  x = ((x & kMask) * 0x000f424000000064u + ((x >> 16) & kMask) * 0x0000271000000001u) >> 32;
  *value = *value * 100'000'000 + x;
  return true;
}

// Appends digits to the value; returns where they end.
const char* ReadDigits(const char* at, const char* end, uint64_t* value) {
  while (end - at >= 8 && EightDigits(at, value)) at += 8;
  for (; at < end && IsDigit(*at); ++at) *value = *value * 10 + static_cast<uint64_t>(*at - '0');
  return at;
}

// Parses the usual form: at most 19 digits and perhaps a point, without an exponent.
bool ParseShortMicros(std::string_view s, Int128* ps) {
  constexpr size_t kMostDigits = 19;  // below 2^64
  static constexpr auto kPowers = [] {
    std::array<uint64_t, kMostDigits + 1> powers{1};
    for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  if (s.size() > kMostDigits + 1) return false;
  uint64_t value = 0;
  const char* const end = s.data() + s.size();
  const char* at = ReadDigits(s.data(), end, &value);
  size_t digits = s.size(), fraction = 0;
  if (at < end && *at == '.') {
    const char* const point = at;
    at = ReadDigits(point + 1, end, &value);
    fraction = static_cast<size_t>(at - point - 1);
    --digits;
  }
  if (at != end || digits == 0 || digits > kMostDigits) return false;
  if (fraction <= kMicrosToPs) {
    *ps = Int128{value} * kPowers[kMicrosToPs - fraction];
  } else {
    const uint64_t divisor = kPowers[fraction - kMicrosToPs];
    *ps = (value + divisor / 2) / divisor;
  }
  return true;
}

}  // namespace

std::string_view StripQuotes(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    return token.substr(1, token.size() - 2);
  }
  return token;
}

std::optional<Int128> ParseMicros(std::string_view token) {
  token = StripQuotes(token);
  Int128 ps;
  if (ParseShortMicros(token, &ps)) return ps;
  Decimal d;
  if (!ParseDecimal(token, &d)) return std::nullopt;
  if (!Scale(&d.digits, d.exponent + static_cast<int>(kMicrosToPs))) return std::nullopt;
  Int128 limit = 1;
  for (int i = 0; i < 30; ++i) limit *= 10;
  if (d.digits >= limit) return std::nullopt;
  return d.negative ? -d.digits : d.digits;
}

namespace {

// Parses up to 18 digits and nothing else, as most whole numbers are.
std::optional<int64_t> ParseDigits(std::string_view digits) {
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  int64_t value = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<int64_t> ParseInt(std::string_view token) {
  token = StripQuotes(token);
  if (const auto digits = ParseDigits(token)) return digits;
  int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [ptr, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc() && ptr == end) return value;
  // 5.0 and 5e3 are whole numbers too.
  Decimal d;
  if (!ParseDecimal(token, &d) || !Scale(&d.digits, d.exponent)) return std::nullopt;
  if (d.exponent < 0) {
    Decimal check;
    ParseDecimal(token, &check);
    Int128 back = d.digits;
    for (int e = d.exponent; e < 0 && back <= std::numeric_limits<int64_t>::max(); ++e) back *= 10;
    if (back != check.digits) return std::nullopt;
  }
  if (d.digits > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return static_cast<int64_t>(d.negative ? -d.digits : d.digits);
}

std::optional<uint64_t> ParseHex(std::string_view text) {
  if (text.size() < 3 || text.size() > 18 || text[0] != '0' || (text[1] | 0x20) != 'x')
    return std::nullopt;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [ptr, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc() || ptr != end) return std::nullopt;
  return value;
}

std::optional<double> ParseReal(std::string_view token) {
  token = StripQuotes(token);
  double value = 0;
  const char* end = token.data() + token.size();
  const char* begin = token.data() + (!token.empty() && token.front() == '+' ? 1 : 0);
  const auto [ptr, error] = std::from_chars(begin, end, value);
  if (token.empty() || ptr != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if (token.find("e-") != std::string_view::npos || token.find("E-") != std::string_view::npos)
      return 0.0;
    return token.front() == '-' ? -std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::infinity();
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace stepscope::json
