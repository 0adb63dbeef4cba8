// Numbers of JSON text, read by digits: a timestamp never passes through double. Pure; O(digits).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

__extension__ typedef __int128 Int128;  // Unix microseconds in picoseconds need 71 bits

namespace json {

// Picoseconds of a time in microseconds ("1661203462598738", "6.4900000000000002", "1.5e3", also in
// quotes), rounded half away from zero. nullopt for NaN, Infinity, null, text, and magnitudes of
// 10^30 ps or more.
std::optional<Int128> ParseMicros(std::string_view token);

// A whole number, or a quoted one; nullopt if it is none or does not fit.
std::optional<int64_t> ParseInt(std::string_view token);

// The value of "0x1f", with up to 16 digits and without quotes; nullopt for anything else.
std::optional<uint64_t> ParseHex(std::string_view text);

// Any JSON number, or a quoted one; also NaN and Infinity by name. nullopt if it is none.
std::optional<double> ParseReal(std::string_view token);

// The token without its quotes, if it has them.
std::string_view StripQuotes(std::string_view token);

}  // namespace json
}  // namespace stepscope
