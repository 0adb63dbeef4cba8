#include "model/analysis/tpu/core.h"

#include <algorithm>
#include <span>
#include <utility>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr std::string_view kBarrier = "barrier-cores";

CoreClock ClockOf(std::span<const CoreOp> ops) {
  std::vector<CoreClock::Reading> readings;
  readings.reserve(ops.size());
  for (const CoreOp& op : ops) readings.push_back({op.begin, op.session});
  return CoreClock(readings);
}

// The lengths of the core's barriers by their begin on the session's clock, the only one they have.
std::vector<std::pair<Ps, Ps>> BarriersOf(const Trace& trace, const Plane& plane) {
  std::vector<std::pair<Ps, Ps>> barriers;
  for (const TrackId t : plane.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind == TrackKind::kXlaOps) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (trace.names().DisplayName(MetaId(lane.meta[i])) == kBarrier)
          barriers.emplace_back(lane.start[i], lane.dur[i]);
      }
    }
  }
  std::sort(barriers.begin(), barriers.end());
  return barriers;
}

// A barrier belongs to the op that begins behind it, by the session's clock, which keeps the order.
std::vector<Ps> BarriersBefore(std::span<const CoreOp> ops,
                               std::span<const std::pair<Ps, Ps>> barriers) {
  std::vector<Ps> before(ops.size());
  Ps busy_until = kMinPs;
  auto next = barriers.begin();
  for (size_t i = 0; i < ops.size(); ++i) {
    const Ps gap = busy_until == kMinPs ? kMaxPs : SaturatingSub(ops[i].begin, busy_until);
    Ps wait = 0;
    for (; next != barriers.end() && next->first <= ops[i].session; ++next)
      wait = SaturatingAdd(wait, next->second);
    before[i] = std::clamp<Ps>(wait, 0, std::max<Ps>(0, gap));
    busy_until = std::max(busy_until, ops[i].end());
  }
  return before;
}

}  // namespace

std::vector<TpuCore> CoresOf(const Trace& trace, const StatTable& stats, HostId host) {
  std::vector<TpuCore> cores;
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    CheckStop();
    const Plane& plane = trace.planes[p];
    if (plane.kind != PlaneKind::kTpu || plane.host != host) continue;
    TpuCore core;
    core.plane = &plane;
    core.id = PlaneId(p);
    core.ops = OpsOfCore(trace, stats, plane);
    if (core.ops.empty() && CoreLine(trace, plane, TrackKind::kSteps) == nullptr) continue;
    core.clock = ClockOf(core.ops);
    core.barrier = BarriersBefore(core.ops, BarriersOf(trace, plane));
    cores.push_back(std::move(core));
  }
  return cores;
}

CoreWork WorkOf(const Trace& trace, const StatTable& stats, const CoreOp& op) {
  const auto category = stats.Text(StringStat::kHloCategory).Find(op.row);
  return WorkOf(stats.strings->View(category.value_or(StringId(0))),
                trace.names().Name(MetaId(op.meta)));
}

}  // namespace stepscope
