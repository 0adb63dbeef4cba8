#include "model/base/digits.h"

#include <algorithm>

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

}  // namespace stepscope
