// One device while its time is divided among steps: a window of time for each step, and one pass
// over the device's events that says where the time of each window went. device_steps.cc finds and
// places the windows. Times are ps from the trace's origin. Values without locks: a device belongs
// to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/intervals/ranges.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/idle_sums.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

struct DeviceWindow {  // one step on one device
  struct Collective {
    Ps begin, end;
    std::string_view name;
  };
  int32_t step = -1;
  Ps first = kMaxPs, last = kMinPs;     // begin and end of its device events
  uint32_t first_row = IdleGap::kNone;  // the event that begins first
  TimeRange span;
  bool cut = false;  // earlier work was still running when the step began
  uint32_t events = 0;
  Ps h2d = 0, d2h = 0, h2d_hidden = 0, d2h_hidden = 0;
  ClassTimes above{};    // by class: time with an event of that class or above, within span
  size_t first_gap = 0;  // index into the device's gaps, in which no event runs
  size_t gap_count = 0;
  Ps idle = 0;  // all gaps
  // Parts of `idle` that exclude each other. Where steps tile the time, the classes tell instead.
  Ps input_wait = 0, launching = 0;
  std::vector<Collective> collectives;
  Ps collective_wait = 0;
  Ranges waits;  // collective_wait as intervals, by begin

  // The time with an event of the class and none of a higher one.
  Ps TimeOf(TimeClass c) const {
    const size_t i = static_cast<size_t>(c);
    return above[i] - (i + 1 < kTimeClasses ? above[i + 1] : 0);
  }
};

struct DividedDevice {
  uint32_t plane = 0;
  std::vector<const Lane*> lanes;
  std::vector<DeviceWindow> windows;  // by begin
  std::vector<int32_t> window_of_step;
  bool has_events = false;
  Ps work = 0;              // sum of its events in steps
  Ps outstanding = kMinPs;  // when the work launched before all steps is done
  // While a collective waits: times in which a collective or what hides it runs, and in which what
  // hides it runs. Their difference is exposed collectives.
  Ranges with_collectives, above_collectives;
  std::vector<StepClassTimes> losses;  // by window
  std::vector<IdleCause> causes;       // the number of the window is their step
  IdleIntervals idle;                  // likewise
  DeviceIdle parts;                    // likewise
};

// Fills the times and hidden copies of the device's windows, which are placed and have their
// waits, and finds the gaps within the windows. `classes` are those of DeviceClasses, `step_of`
// gives the step of a copy, -1 for none, and `next_gap` gives room for a gap. O(n log streams).
void FillWindows(const std::vector<uint8_t>& classes,
                 const std::function<int32_t(uint32_t row, Ps start)>& step_of,
                 const std::function<IdleGap&()>& next_gap, DividedDevice* device);
// Finds the time of each collective before its last participant starts, in the windows of one step
// on the devices of a host. The n-th collectives of these are one, if their names are equal.
void FindCollectiveWaits(std::span<DeviceWindow* const> sides);
// Divides exposed time of collectives into the time before their last participant starts and the
// rest. The waits of the window are found.
void SplitCollectives(const DividedDevice& device, const DeviceWindow& w, StepClassTimes* times);

}  // namespace stepscope
