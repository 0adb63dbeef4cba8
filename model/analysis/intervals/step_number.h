// The numbers that people give steps: those at the end of their labels, 12 for "train 12". Pure
// functions; any thread.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stepscope {

// The digits at the end of a label; may be empty.
inline std::string_view LastDigits(std::string_view label) {
  const size_t before = label.find_last_not_of("0123456789");
  return label.substr(before == std::string_view::npos ? 0 : before + 1);
}

// The number at the end of a label; nullopt if there is none or it does not fit into 64 bits.
inline std::optional<int64_t> LastNumber(std::string_view label) {
  const std::string_view digits = LastDigits(label);
  int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || read.ec != std::errc()) return std::nullopt;
  return number;
}

// Sets `number` of consecutive steps: to the numbers of their labels if those
// rise, else to 0, 1, 2, ... O(n)
template <typename S>
void NumberByLabel(std::span<S> steps) {
  bool rising = true;
  int64_t last = -1;
  for (S& step : steps) {
    step.number = LastNumber(step.label).value_or(-1);
    rising = rising && step.number > last;
    last = step.number;
  }
  for (size_t i = 0; i < steps.size() && !rising; ++i) steps[i].number = static_cast<int64_t>(i);
}

}  // namespace stepscope
