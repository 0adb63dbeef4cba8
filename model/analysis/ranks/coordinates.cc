#include "model/analysis/ranks/coordinates.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 7> kAxes = {"rank", "dp", "tp", "pp", "ep", "cp", "sp"};
constexpr size_t kMostDigits = 9;

bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }

// Reads the number after the axis that ends at `at`; returns false if there is none.
bool IndexAt(std::string_view name, size_t at, int64_t* index) {
  constexpr std::string_view kBetween = "-_= ";
  if (at < name.size() && kBetween.find(name[at]) != std::string_view::npos) ++at;
  size_t digits = 0;
  *index = 0;
  for (; at < name.size() && IsDigit(name[at]) && digits <= kMostDigits; ++at, ++digits)
    *index = *index * 10 + (name[at] - '0');
  return digits > 0 && digits <= kMostDigits;
}

}  // namespace

std::vector<RankCoordinate> CoordinatesIn(std::string_view name) {
  std::vector<RankCoordinate> found;
  const std::string lower = Lower(name);
  for (size_t at = 0; at < lower.size(); ++at) {
    if (at > 0 && IsLetter(lower[at - 1])) continue;
    for (const std::string_view axis : kAxes) {
      int64_t index = 0;
      if (lower.compare(at, axis.size(), axis) != 0) continue;
      if (!IndexAt(lower, at + axis.size(), &index)) continue;
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const RankCoordinate& c) { return c.axis == axis; });
      if (!known) found.push_back({std::string(axis), index});
    }
  }
  return found;
}

std::string CoordinatesText(const std::vector<RankCoordinate>& coordinates) {
  std::string text;
  for (const RankCoordinate& c : coordinates) {
    if (c.axis == "rank") continue;
    text += (text.empty() ? "" : ", ") + c.axis + " " + std::to_string(c.index);
  }
  return text;
}

}  // namespace stepscope
