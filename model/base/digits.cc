#include "model/base/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/ascii.h"

namespace stepscope {

size_t GroupDigits(std::string_view number, char* out) {
  constexpr std::string_view kThinSpace = "\u2009";
  const size_t sign = number.starts_with('-') ? 1 : 0;
  const size_t point = std::min(number.find('.'), number.size());
  char* at = out;
  for (size_t i = 0; i < number.size(); ++i) {
    if (i > sign && i < point && (point - i) % 3 == 0)
      at = std::copy(kThinSpace.begin(), kThinSpace.end(), at);
    *at++ = number[i];
  }
  return static_cast<size_t>(at - out);
}

std::string PercentText(double percent) { return PercentText(percent, percent < 10 ? 1 : 0); }

std::string PercentText(double percent, int decimals) {
  if (!std::isfinite(percent)) return "\u2013";
  return GroupDigits(fmt::format("{:.{}f}", percent, decimals)) + " %";
}

std::string GroupDigits(std::string_view number) {
  std::string out(2 * number.size(), '\0');
  out.resize(GroupDigits(number, out.data()));
  return out;
}

std::string GroupDigits(uint64_t number) {
  return GroupDigits(std::string_view(std::to_string(number)));
}

std::string WithoutNumbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (!IsDigit(c)) out += c;
    if (IsDigit(c) && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  const auto n = static_cast<double>(bytes);
  // A number that would be rounded to 1000 gets the next unit.
  if (n < 999.95e3) return fmt::format("{:.1f} kB", n / 1e3);
  if (n < 999.95e6) return fmt::format("{:.1f} MB", n / 1e6);
  return fmt::format("{:.2f} GB", n / 1e9);
}

namespace {

// Removes the digits at the start of the text and returns them without leading zeros.
std::string_view TakeNumber(std::string_view* text) {
  size_t zeros = 0;
  while (zeros < text->size() && (*text)[zeros] == '0') ++zeros;
  size_t end = zeros;
  while (end < text->size() && IsDigit((*text)[end])) ++end;
  const std::string_view number = text->substr(zeros, end - zeros);
  text->remove_prefix(end);
  return number;
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const std::string_view x = TakeNumber(&a), y = TakeNumber(&b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace stepscope
