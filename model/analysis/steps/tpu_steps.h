// Steps of TPU profiles (docs/rules.md#tpu), the same by both definitions: from each core's Steps
// line, else from its XLA Modules line. O(events log lanes), one pass for each core.
#pragma once

#include <stop_token>
#include <string_view>

#include "model/analysis/steps/steps.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

inline constexpr const char* kTpuCaveat = "TPU rules are checked on synthetic input only.";

// The part of a step that an HLO op counts for, by its category.
enum class TpuClass : uint8_t { kCompute, kInfeed, kOutfeed, kCollective };
TpuClass TpuClassOf(std::string_view hlo_category);

// The steps of all hosts: the k-th steps of all cores of a host are one step. Its time and its
// infeed are those of the slowest core, its other times the mean over cores. Empty without a Steps
// or XLA Modules line.
StepDatabase TpuSteps(const Trace& trace, const StatTable& stats, const std::stop_token& stop);

// Calls fn(lane, index) for the slices on the plane's lines of that kind.
template <typename Fn>
void ForTpuLine(const Trace& trace, const Plane& plane, TrackKind kind, Fn fn) {
  for (TrackId t : plane.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind != kind) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) fn(lane, i);
    }
  }
}

}  // namespace stepscope
