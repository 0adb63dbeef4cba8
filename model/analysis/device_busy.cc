#include "model/analysis/device_busy.h"

#include <algorithm>
#include <span>

#include "model/analysis/device_steps.h"
#include "model/analysis/lane_merge.h"

namespace stepscope {
namespace {

// Of one device: with an event, and altogether.
struct Busy {
  Ps busy = 0;
  TimeRange span;
};

Busy BusyOf(const Trace& trace, const Plane& plane, std::span<const uint8_t> classes,
            TimeRange range) {
  Busy out;
  Ps first = kMaxPs, last = kMinPs;
  ForEachByStart(WorkLanes(trace, plane), [&](const Lane& lane, uint32_t i) {
    if (classes[lane.meta[i]] == 0 || lane.dur[i] <= 0) return;
    const Ps begin = std::max(lane.start[i], range.begin), end = std::min(lane.end(i), range.end);
    if (end <= begin) return;
    first = std::min(first, begin);
    if (end > last) out.busy += end - std::max(begin, last);
    last = std::max(last, end);
  });
  if (first < last) out.span = {first, last};
  return out;
}

double CpuPercent(const StepDatabase& db) {
  double busy = 0, whole = 0;
  for (const Step* step : CountedSteps(db.steps)) {
    busy += step->losses[static_cast<size_t>(LossClass::kCompute)];
    whole += step->times.total;
  }
  return whole > 0 ? 100 * busy / whole : 0;
}

}  // namespace

double BusyPercent(const Trace& trace, const StepDatabase& db, const AnalysisParams& params) {
  if (db.kind != DeviceKind::kGpu) return CpuPercent(db);
  const std::vector<uint8_t> classes = DeviceClasses(trace);
  const TimeRange range = params.range.empty() ? TimeRange{kMinPs, kMaxPs} : params.range;
  double sum = 0;
  size_t devices = 0;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu || !params.WantsHost(trace.HostName(plane.host))) continue;
    const Busy busy = BusyOf(trace, plane, classes, range);
    if (busy.span.empty()) continue;
    sum += 100 * static_cast<double>(busy.busy) / static_cast<double>(busy.span.length());
    ++devices;
  }
  return devices > 0 ? sum / static_cast<double>(devices) : 0;
}

}  // namespace stepscope
