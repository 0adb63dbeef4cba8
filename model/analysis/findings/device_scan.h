// DeviceScan: what one pass over a device's events finds for rules: copies by kind with the time
// that no kernel hides, collectives, and when the device computes. Times are in ps.
#pragma once

#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/late_launches.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

enum class CopyMemory : uint8_t { kUnknown, kPageable, kPinned };

// The copies of one direction, kind of host memory and size.
struct CopyGroup {
  CopyDirection direction = CopyDirection::kNone;
  CopyMemory memory = CopyMemory::kUnknown;
  int64_t bytes = -1;  // each; -1: not recorded
  uint64_t count = 0;
  Ps time = 0, exposed = 0;  // exposed: while no kernel runs
  uint32_t steps = 0;        // number of steps in which it occurs
  Ps first_offset = 0;       // from the step's begin to the first, sum over steps
  uint32_t last_step = ~0u;
  std::vector<EventRow> rows;  // at most 1000
};

// Collectives that take little but their latency. Sums are of an average step, weighted.
struct SmallCollectives {
  static constexpr Ps kLongest = 100 * kPsPerUs;
  double count = 0, time = 0;
  double broadcasts = 0, broadcast_time = 0;  // the part in broadcasts
  Ps shortest = kMaxPs;
  uint64_t events = 0;
  std::vector<EventRow> rows;  // at most 1000
};

struct DeviceScan {
  PlaneId device;
  uint32_t steps = 0;
  std::vector<CopyGroup> copies;  // by exposed time, falling
  uint64_t collectives = 0;
  Ps collective_time = 0, collective_hidden = 0;  // union; its part behind kernels
  std::vector<EventRow> collective_rows;          // at most 1000
  SmallCollectives small_collectives;
  Ranges computing;  // kernels; holes of up to kHole are closed
  static constexpr Ps kHole = kPsPerUs;
  LateTimes late;
};

// Scans the devices that have steps; only events that begin in a step count. `weights`: by step,
// the weight of a device's time in an average. O(events log streams), parallel over devices.
std::vector<DeviceScan> ScanDevices(AnalysisContext& context, const StepDatabase& db,
                                    std::span<const double> weights);

}  // namespace stepscope
