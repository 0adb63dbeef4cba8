#include "loaders/xplane/time_base.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "loaders/xplane/lines/line_parser.h"

namespace stepscope::xplane {
namespace {

// Line starts are summed in 128 bits: a file may hold any 64-bit timestamp.
using Wide = __int128;

constexpr Wide kHalfRangeNs = Wide{53} * 86'400 * 1'000'000'000;

bool IsEpoch(int64_t ns) { return ns > kEpochNs; }

struct PlacedLine {
  LineStart* line;
  Wide ns;  // since 1970, or since the start of profiling
};

// The time before which the lines with half of all bytes start.
Wide WeightedMedian(std::vector<PlacedLine> lines) {
  std::sort(lines.begin(), lines.end(),
            [](const PlacedLine& a, const PlacedLine& b) { return a.ns < b.ns; });
  Wide total = 0, sum = 0;
  for (const PlacedLine& l : lines) total += l.line->weight;
  for (const PlacedLine& l : lines) {
    sum += l.line->weight;
    if (2 * sum >= total) return l.ns;
  }
  return 0;
}

// The earliest start of the lines with events that count from 1970 (`epoch`), or of the others.
std::optional<int64_t> Earliest(const HostTimes& host, bool epoch) {
  std::optional<int64_t> earliest;
  for (const LineStart& l : host.lines) {
    if (l.weight > 0 && IsEpoch(l.timestamp_ns) == epoch)
      earliest = std::min(earliest.value_or(l.timestamp_ns), l.timestamp_ns);
  }
  return earliest;
}

// The time to add to the zero-based lines of a host to count from 1970; nullopt: unknown.
std::optional<int64_t> ZeroOf(const HostTimes& host) {
  if (host.start_unix_ns != 0) return host.start_unix_ns;
  const std::optional<int64_t> epoch = Earliest(host, true), zero = Earliest(host, false);
  if (!epoch) return std::nullopt;
  // Nothing says how the two clocks are related, so they begin together.
  return static_cast<int64_t>(
      std::clamp<Wide>(Wide{*epoch} - zero.value_or(0), 0, std::numeric_limits<int64_t>::max()));
}

Ps ToPs(Wide ns) {
  const Wide ps = ns * 1000;
  return static_cast<Ps>(std::clamp<Wide>(ps, -kMaxTimePs, kMaxTimePs));
}

}  // namespace

int64_t PlaceOrigin(std::vector<HostTimes>* hosts) {
  std::optional<int64_t> earliest_zero;
  for (const HostTimes& host : *hosts) {
    if (const auto zero = ZeroOf(host))
      earliest_zero = std::min(earliest_zero.value_or(*zero), *zero);
  }
  const bool absolute = earliest_zero.has_value();
  std::vector<PlacedLine> all, counted;
  for (HostTimes& host : *hosts) {
    const std::optional<int64_t> own = ZeroOf(host);
    host.unaligned = hosts->size() > 1 && absolute && !own;
    const Wide zero = own.value_or(earliest_zero.value_or(0));
    const bool has_epoch = Earliest(host, true).has_value();
    for (LineStart& l : host.lines) {
      const bool epoch = IsEpoch(l.timestamp_ns);
      l.zero_based_among_epoch = !epoch && has_epoch && l.weight > 0;
      all.push_back({&l, epoch ? Wide{l.timestamp_ns} : zero + l.timestamp_ns});
      if (l.weight > 0) counted.push_back(all.back());
    }
  }
  if (counted.empty()) counted = all;
  const Wide median = WeightedMedian(counted);
  Wide origin = median;
  for (const PlacedLine& l : counted) {
    const Wide distance = l.ns > median ? l.ns - median : median - l.ns;
    l.line->stray = distance > kHalfRangeNs;
    if (!l.line->stray) origin = std::min(origin, l.ns);
  }
  size_t i = 0;
  for (HostTimes& host : *hosts) {
    for (LineStart& l : host.lines) l.base_ps = ToPs(all[i++].ns - origin);
  }
  const bool fits = origin > 0 && origin <= std::numeric_limits<int64_t>::max();
  return absolute && fits ? static_cast<int64_t>(origin) : 0;
}

}  // namespace stepscope::xplane
