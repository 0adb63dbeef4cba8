#include "viewer/timeline/layout/track_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/core/search/search.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

constexpr size_t kLongId = 9;  // digits; longer ones are hashes, which nobody reads out

bool Digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string Number(std::string_view digits) {
  if (digits.size() <= kLongId) return std::string(digits);
  return "\xE2\x80\xA6" + std::string(digits.substr(digits.size() - 4));
}

// Reads "prefix<number>(<rest>)" with nothing behind it; returns false for any other text.
bool TakeNumbered(std::string_view text, std::string_view prefix, std::string_view* number,
                  std::string_view* rest) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return false;
  *number = text.substr(0, open);
  while (number->ends_with(' ')) number->remove_suffix(1);
  *rest = text.substr(open + 1, text.size() - open - 2);
  return Digits(*number) && !rest->empty();
}

Unit UnitOf(std::string_view name, std::string_view series) {
  const auto says = [&](std::string_view word) {
    return ContainsLower(name, word) || ContainsLower(series, word);
  };
  // The percent words come first: "memory throughput percentage" is no number of bytes.
  if (says("percent") || says("pct") || says("%")) return Unit::kPercent;
  if (ContainsLower(name, "memory") || says("bytes")) return Unit::kBytes;
  return series == "us" || name.ends_with("_us") || name.ends_with("(us)") ? Unit::kUs
                                                                           : Unit::kNone;
}

std::string Short(double value) { return fmt::format("{:.4g}", value); }

// Values in a file may be of any size, so the product saturates.
Ps InPs(double value, Ps unit) {
  constexpr double kMost = 9e18;
  return static_cast<Ps>(std::clamp(value * static_cast<double>(unit), -kMost, kMost));
}

}  // namespace

TrackLabel LabelOf(const TrackSet& set, const Track& track, bool derived) {
  const std::string_view name = set.names->strings.View(track.name);
  std::string_view number, rest;
  if (TakeNumbered(name, "Stream #", &number, &rest))
    return {std::string(rest), "#" + std::string(number)};
  if (TakeNumbered(name, "thread ", &number, &rest)) return {std::string(rest), Number(number)};
  if (const size_t from = name.rfind(" - from #"); from != std::string_view::npos) {
    const std::string_view stream = name.substr(from + 9);
    if (Digits(stream)) return {std::string(name.substr(0, from)), "#" + std::string(stream)};
  }
  if (const size_t cut = name.find_last_of("/-"); cut != std::string_view::npos && cut > 0) {
    const std::string_view id = name.substr(cut + 1);
    std::string_view base = name.substr(0, cut);
    while (base.ends_with('/') || base.ends_with('-')) base.remove_suffix(1);
    if (Digits(id) && id.size() > kLongId) return {std::string(base), Number(id)};
  }
  TrackLabel label{name.empty() ? "(unnamed)" : std::string(name), {}};
  const int64_t id = track.display_id != 0 ? track.display_id : track.id;
  if (derived || id == 0 || track.kind == TrackKind::kDerived) return label;
  const std::string text = std::to_string(id);
  const std::string_view digits = std::string_view(text).substr(id < 0 ? 1 : 0);
  // Most names in the file end in the id already.
  if (name.find(text) == std::string_view::npos) label.tag = Number(digits);
  return label;
}

TrackLabel LabelOf(const Profile& profile, const LayoutItem& item) {
  if (!item.given.empty()) return {std::string(item.given), {}};
  if (item.kind == LayoutItemKind::kPlaneHeading) {
    const bool plane = item.plane.valid();
    return {plane ? profile.trace->planes[item.plane.value].display_name : "Derived", {}};
  }
  const TrackSet& set = profile.Set(item.set);
  return LabelOf(set, set.tracks[item.track.value], item.set != 0);
}

std::string RankText(const RankTracks& rank) { return "Rank " + std::to_string(rank.number); }

std::string LateText(const RankTracks& rank) {
  return rank.late_percent > 0 ? fmt::format("last in {:.0f} % of steps", rank.late_percent)
                               : std::string();
}

std::string CounterText(const TrackSet& set, const Track& track, double value) {
  const std::string_view name = set.names->strings.View(track.name);
  const std::string_view series =
      track.counters.empty() ? std::string_view() : set.names->strings.View(track.counters[0].name);
  switch (UnitOf(name, series)) {
    case Unit::kBytes:
      return FormatValue(Value(value), Unit::kBytes);
    case Unit::kPercent:
      return Short(value) + " %";
    case Unit::kUs:
      return WithoutZeros(FormatDuration(InPs(value, kPsPerUs), 3));
    default:
      break;
  }
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (std::fabs(value) >= 1e4 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return Short(value) + kUnits[unit];
}

}  // namespace stepscope
