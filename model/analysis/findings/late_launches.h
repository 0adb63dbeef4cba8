// LateLaunches: idle time of a device for want of launches, by what it follows. A call that blocks
// until the device is done drains the queue, and so do kernels shorter than a launch: what is
// launched next comes late because of them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps.h"
#include "model/analysis/time_classes.h"

namespace stepscope {

// Of an average step and device, ps. The shortest idle parts may be missing (DeviceIdle): shares of
// `launch` and of `sync` are what these are good for.
struct LateTimes {
  double launch = 0, sync = 0;         // idle parts of these classes
  double after_short = 0;              // launch, right after a kernel of less than kShortKernel
  double after_sync = 0;               // launch, after sync in the same interval
  std::array<double, 4> after_copy{};  // launch and sync after a copy that blocks the host, by
                                       // CopyDirection
  static constexpr Ps kShortKernel = 20 * kPsPerUs;  // launching takes the host 20 to 40 us
  void Add(const LateTimes& other);
};

class LateLaunches {
 public:
  // `weights`: by step, what its time counts in the averages. All must outlive it.
  LateLaunches(const Trace& trace, const Grouping& grouping, const StepDatabase& db,
               std::span<const double> weights, PlaneId device);

  enum class Work : uint8_t { kKernel, kCopy, kOther };
  // The events of the device by begin. O(1) amortised; a copy before an idle time O(log launches).
  void Add(uint32_t row, TimeRange range, Work work, CopyDirection direction);
  LateTimes Take();

 private:
  struct Event {
    uint32_t row = 0;
    TimeRange range{kMinPs, kMinPs};
    Work work = Work::kOther;
    CopyDirection direction = CopyDirection::kNone;
  };
  struct Window {
    TimeRange span;
    double weight;
  };
  bool Blocks(const Event& copy) const;
  double WeightAt(Ps time);
  void Divide(TimeRange gap);

  const Trace& trace_;
  const Grouping& grouping_;
  const std::vector<IdleInterval>* parts_ = nullptr;  // by begin
  size_t part_ = 0, window_ = 0;
  std::vector<Window> windows_;
  Event last_;  // of those so far the one that ends last
  LateTimes times_;
};

}  // namespace stepscope
