#include "app/commands/allowance.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace stepscope {

std::optional<Allowance> ParseAllowance(const std::string& text) {
  Allowance allowance;
  std::string_view number = text;
  allowance.percent = number.ends_with('%');
  if (allowance.percent) number.remove_suffix(1);
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, allowance.amount);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (!std::isfinite(allowance.amount) || allowance.amount < 0) return std::nullopt;
  return allowance;
}

std::optional<PropertyLimit> ParseLimit(const std::string& text) {
  const size_t dot = text.find('.'), plus = text.rfind('+');
  if (dot == std::string::npos || plus == std::string::npos || dot == 0 || plus < dot + 2)
    return std::nullopt;
  const std::optional<Allowance> allowed = ParseAllowance(text.substr(plus + 1));
  if (!allowed) return std::nullopt;
  return PropertyLimit{text.substr(0, dot), text.substr(dot + 1, plus - dot - 1), *allowed};
}

}  // namespace stepscope
