#include "model/analysis/params.h"

#include <charconv>

namespace stepscope {

std::optional<StepInterval> ParseSteps(std::string_view text) {
  StepInterval steps;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, steps.first);
  if (first.ec != std::errc() || end - first.ptr < 3) return std::nullopt;
  if (first.ptr[0] != '.' || first.ptr[1] != '.') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 2, end, steps.last);
  if (last.ec != std::errc() || last.ptr != end) return std::nullopt;
  if (steps.first < 0 || steps.last < steps.first) return std::nullopt;
  return steps;
}

}  // namespace stepscope
