// Numbers as people read them, with thin spaces between groups of three digits: "4 761 900.25";
// names without their numbers and in the order of their numbers. Pure; any thread.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Groups the digits before the decimal point. The number may have a sign, but no exponent.
std::string GroupDigits(std::string_view number);
std::string GroupDigits(uint64_t number);
// The same without allocation: writes to `out`, which has room for twice the number's bytes, and
// returns how many bytes it wrote.
size_t GroupDigits(std::string_view number, char* out);

// A share in a sentence, with one decimal below 10 %: "12 %", "3.4 %".
std::string PercentText(double percent);
// With so many decimals, grouped as by GroupDigits: "77.1 %". An en dash for NaN and infinity.
std::string PercentText(double percent, int decimals);

// The name with '#' for each number, or for a number behind a '#': "fused_add_12" and "step #3"
// become "fused_add_#" and "step #". O(length).
std::string WithoutNumbers(std::string_view name);

// "5 B", "2.0 kB", "12.3 MB", "2.50 GB": units are powers of 1000.
std::string BytesText(uint64_t bytes);

// "event" if n is 1, else "events". `things` is a plural that becomes singular without its s.
constexpr std::string_view NounFor(uint64_t n, std::string_view things) {
  if (n == 1 && things.ends_with('s')) things.remove_suffix(1);
  return things;
}
// "1 event", "0 events", "12 345 events".
inline std::string Counted(uint64_t n, std::string_view things) {
  return GroupDigits(n) + " " + std::string(NounFor(n, things));
}

// Whether `a` comes before `b`. Numbers compare by value, all else by bytes. O(length).
bool NaturalLess(std::string_view a, std::string_view b);

// Whether the text is two numbers with the character `between` between
// them, and nothing else: "12.7".
template <typename T>
bool ParsePair(std::string_view text, char between, T* first, T* second) {
  const char* end = text.data() + text.size();
  const auto a = std::from_chars(text.data(), end, *first);
  if (a.ec != std::errc() || a.ptr == end || *a.ptr != between) return false;
  const auto b = std::from_chars(a.ptr + 1, end, *second);
  return b.ec == std::errc() && b.ptr == end;
}

}  // namespace stepscope
