// HostIntervals: when the host waits for input in a step, and, where steps do not tile the time,
// when it launches for a device. The columns "Input" and "Kernel launch" of the step table are then
// made of them (docs/rules.md#steps). Read() once, then any thread may ask.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

class HostIntervals {
 public:
  // `device_of_plane`: number of the plane's device + 1, 0 for none.
  // All arguments must outlive this.
  HostIntervals(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                const StepPlan& plan, std::span<const uint8_t> device_of_plane)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        plan_(plan),
        device_of_plane_(device_of_plane) {}

  // Reads all host threads, in parallel. O(n log n).
  void Read();

  // The intervals that touch `within`, by begin; no two of them touch. O(log n + what is returned).
  Ranges InputWaits(int32_t step, TimeRange within) const;
  Ranges Launching(int32_t step, uint8_t device, TimeRange within) const;  // not if steps tile

  // ps that the step waits for input. Where steps are known by time alone: in waits that begin in
  // one of the two ranges.
  Ps InputWaited(int32_t step, TimeRange span, TimeRange marker) const;

 private:
  static constexpr int32_t kAnyStep = -1;
  // The device number of a HostInterval that is an input wait.
  static constexpr uint8_t kInputDevice = 0xff;
  // A wait for input, or a launch for one device, for one step.
  struct HostInterval {
    int32_t step;
    uint8_t device;
    Ps begin, end;
  };

  void FindLaunchDevices();
  std::vector<uint8_t> Roles() const;
  void ReadThread(const Track& track, std::vector<HostInterval>* out) const;
  void MergeTouching();
  std::span<const HostInterval> Of(int32_t step, uint8_t device) const;
  size_t device_count() const;

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const StepPlan& plan_;
  const std::span<const uint8_t> device_of_plane_;
  std::vector<uint8_t> role_;           // by MetaId
  std::vector<uint8_t> launch_device_;  // by row: device + 1; 0: no launch; empty if steps tile
  std::vector<HostInterval> host_;      // by step, device, begin; intervals that touched are merged
};

}  // namespace stepscope
