// HostIntervals: when the host, in a step, waits for input and when it launches for a device: what
// the columns "Input" and "Kernel launch" of the steps are made of (docs/rules.md#steps).
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/analysis/ranges.h"
#include "model/analysis/step_plan.h"

namespace stepscope {

class HostIntervals {
 public:
  // device_of_plane: number of the plane's device + 1, 0 for none. All must outlive this.
  HostIntervals(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                const StepPlan& plan, std::span<const uint8_t> device_of_plane)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        plan_(plan),
        device_of_plane_(device_of_plane) {}

  void Read(const std::stop_token& stop);  // O(n log n), parallel over threads

  // What of them touches the range, by begin, no two of them touching. O(log n) and what is
  // returned.
  Ranges InputWaits(int32_t step, TimeRange within) const;
  Ranges Launching(int32_t step, uint8_t device, TimeRange within) const;

  // Waits for input of the step; where steps are known by time alone, those that begin in one of
  // the two ranges.
  Ps InputWaited(int32_t step, TimeRange span, TimeRange marker) const;

 private:
  static constexpr int32_t kAnyStep = -1;
  // Of a HostInterval: input wait, not the launch for a device.
  static constexpr uint8_t kInputDevice = 0xff;
  // What the host did for a step: waited for input, or launched for one device.
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
  std::vector<uint8_t> role_;           // by meta
  std::vector<uint8_t> launch_device_;  // by row: device + 1, 0: no launch
  std::vector<HostInterval> host_;      // by step, device, begin; what touched is merged
};

}  // namespace stepscope
