#include "model/analysis/tpu/core_clock.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/base/statistics.h"

namespace stepscope {
namespace {

constexpr size_t kParts = 16;
constexpr double kSteepest = 1e-3;  // clocks that drift more than this are no clocks

// The reading of each part at its lower quartile of the difference.
std::vector<CoreClock::Reading> Representatives(std::vector<CoreClock::Reading> readings) {
  std::sort(readings.begin(), readings.end(),
            [](const auto& a, const auto& b) { return a.core < b.core; });
  const size_t parts = std::min(kParts, readings.size());
  std::vector<CoreClock::Reading> out;
  for (size_t part = 0; part < parts; ++part) {
    const auto begin = readings.begin() + static_cast<ptrdiff_t>(part * readings.size() / parts);
    const auto end =
        readings.begin() + static_cast<ptrdiff_t>((part + 1) * readings.size() / parts);
    const auto quartile = begin + (end - begin) / 4;
    std::nth_element(begin, quartile, end, [](const auto& a, const auto& b) {
      return SaturatingSub(a.session, a.core) < SaturatingSub(b.session, b.core);
    });
    out.push_back(*quartile);
  }
  return out;
}

}  // namespace

CoreClock::CoreClock(std::span<const Reading> readings) {
  if (readings.empty()) return;
  const auto parts = Representatives({readings.begin(), readings.end()});
  origin_ = parts.front().core;
  const auto ahead = [](const Reading& r) {
    return static_cast<double>(SaturatingSub(r.session, r.core));
  };
  const auto since = [&](const Reading& r) {
    return static_cast<double>(SaturatingSub(r.core, origin_));
  };
  std::vector<double> slopes, offsets;
  for (size_t a = 0; a < parts.size(); ++a) {
    for (size_t b = a + 1; b < parts.size(); ++b) {
      const double apart = since(parts[b]) - since(parts[a]);
      if (apart > 0) slopes.push_back((ahead(parts[b]) - ahead(parts[a])) / apart);
    }
  }
  slope_ = Median(std::move(slopes));
  if (std::abs(slope_) > kSteepest) slope_ = 0;
  for (const Reading& r : parts) offsets.push_back(ahead(r) - slope_ * since(r));
  offset_ = static_cast<Ps>(Median(std::move(offsets)));
}

Ps CoreClock::ToSession(Ps core) const {
  const double since = static_cast<double>(SaturatingSub(core, origin_));
  const Ps drift = static_cast<Ps>(std::llround(slope_ * since));
  return SaturatingAdd(core, SaturatingAdd(offset_, drift));
}

}  // namespace stepscope
