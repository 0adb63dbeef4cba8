// DeviceScan: what one pass over a device's events tells rules: copies by kind and what of them no
// kernel hides, collectives, and when the device computes.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/findings/late_launches.h"
#include "model/analysis/ranges.h"
#include "model/analysis/steps.h"

namespace stepscope {

enum class CopyMemory : uint8_t { kUnknown, kPageable, kPinned };

// Copies of one direction, kind of host memory and size.
struct CopyGroup {
  CopyDirection direction = CopyDirection::kNone;
  CopyMemory memory = CopyMemory::kUnknown;
  int64_t bytes = -1;  // each; -1: not recorded
  uint64_t count = 0;
  Ps time = 0, exposed = 0;  // exposed: no kernel runs
  uint32_t steps = 0;        // in how many it occurs
  Ps first_offset = 0;       // sum over them: from the step's begin to the first
  uint32_t last_step = ~0u;
  std::vector<EventRow> rows;  // at most 1000
};

struct DeviceScan {
  PlaneId device;
  uint32_t steps = 0;
  std::vector<CopyGroup> copies;  // by exposed time, falling
  uint64_t collectives = 0;
  Ps collective_time = 0, collective_hidden = 0;  // union; behind kernels
  std::vector<EventRow> collective_rows;          // at most 1000
  Ranges computing;                               // kernels; holes of up to kHole are none
  static constexpr Ps kHole = kPsPerUs;
  LateTimes late;
};

// Of the devices that have steps; only what begins in a step. `weights`: by step, what a time of
// one of its devices counts in an average. O(events log streams), parallel over devices.
std::vector<DeviceScan> ScanDevices(AnalysisContext& context, const StepDatabase& db,
                                    std::span<const double> weights, const std::stop_token& stop);

}  // namespace stepscope
