#include "app/bench/bench_frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepscope {

TimeRange DeepestView(const Trace& trace) {
  const Track* best = nullptr;
  bool best_on_gpu = false;
  for (const Plane& plane : trace.planes) {
    const bool gpu = plane.kind == PlaneKind::kGpu;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (track.lane_count == 0 || trace.set.LanesOf(track)[0].size() == 0) continue;
      const bool better =
          !best || (gpu && !best_on_gpu) || (gpu == best_on_gpu && track.events > best->events);
      if (!better) continue;
      best = &track;
      best_on_gpu = gpu;
    }
  }
  if (!best) return {};
  // The innermost lane that has events holds kernels, not their enclosing ranges.
  const Lane* lane = nullptr;
  for (const Lane& l : trace.set.LanesOf(*best)) {
    if (l.kind == LaneKind::kNested && l.size() > 0) lane = &l;
  }
  if (!lane) lane = &trace.set.LanesOf(*best)[0];
  const size_t middle = lane->size() / 2;
  const Ps duration = std::max<Ps>(lane->dur[middle], kPsPerNs);
  return {SaturatingSub(lane->start[middle], duration),
          SaturatingAdd(lane->start[middle], SaturatingMul(duration, 2))};
}

std::vector<TimeRange> ZoomScript(TimeRange whole, TimeRange detail, int count) {
  std::vector<TimeRange> script;
  if (count <= 0 || whole.empty()) return script;
  if (detail.empty()) detail = whole;
  const auto w0 = static_cast<double>(whole.length());
  const double ratio = static_cast<double>(detail.length()) / w0;
  for (int i = 0; i < count; ++i) {
    // The depth is 0 at both ends of the script and 1 in the middle.
    const double phase = count == 1 ? 0 : static_cast<double>(i) / (count - 1);
    const double depth = 1 - std::fabs(2 * phase - 1);
    const double width = w0 * std::pow(ratio, depth);
    // The detail keeps its place on the screen as the view closes in on it: its distance from the
    // left edge shrinks with the width.
    const double closed = ratio < 1 ? (w0 - width) / (w0 * (1 - ratio)) : 0;
    const double begin = static_cast<double>(whole.begin) +
                         static_cast<double>(SaturatingSub(detail.begin, whole.begin)) * closed;
    const Ps first = static_cast<Ps>(begin);
    script.push_back({first, SaturatingAdd(first, std::max<Ps>(static_cast<Ps>(width), 1))});
  }
  return script;
}

FrameTimes Summarise(std::vector<double> ms) {
  FrameTimes times;
  if (ms.empty()) return times;
  std::sort(ms.begin(), ms.end());
  const size_t n = ms.size();
  times.median_ms = n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  // Percentile by nearest rank: the smallest value that at least 99 % of the frames do not
  // exceed.
  const auto rank = static_cast<size_t>(std::ceil(0.99 * static_cast<double>(n)));
  times.p99_ms = ms[std::max<size_t>(rank, 1) - 1];
  times.max_ms = ms.back();
  return times;
}

nlohmann::ordered_json FrameTimesJson(std::vector<double> ms) {
  const size_t count = ms.size();
  const FrameTimes times = Summarise(std::move(ms));
  return {{"count", count},
          {"median_ms", times.median_ms},
          {"p99_ms", times.p99_ms},
          {"max_ms", times.max_ms}};
}

}  // namespace stepscope
