// DeviceScan: what one pass over a device's events finds for rules: copies by kind with the time
// that no kernel hides, collectives, and when the device computes. Times are in ps.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Times of an average step and device, ps. The shortest idle parts may be missing (DeviceIdle),
// so only shares of `launch` and `sync` are reliable.
struct LateTimes {
  double launch = 0, sync = 0;         // idle parts of these classes
  double after_short = 0;              // launch, right after a kernel of less than kShortKernel
  double after_sync = 0;               // launch, after sync in the same interval
  std::array<double, 4> after_copy{};  // launch and sync after a blocking copy, by CopyDirection
  void Add(const LateTimes& other);
};

// LateLaunches sums a device's idle time for want of launches by what it follows. A call that
// blocks until the device is done drains the queue, and so do kernels shorter than a launch: they
// are why the next launch comes late.
class LateLaunches {
 public:
  // `weights`: by step, the weight of its time in averages. The arguments must outlive it.
  LateLaunches(const Trace& trace, const Grouping& grouping, const StepDatabase& db,
               std::span<const double> weights, PlaneId device);

  enum class Work : uint8_t { kKernel, kCopy, kOther };
  // Adds the events of the device in order of begin. Amortised O(1); O(log launches) for a copy
  // before an idle interval.
  void Add(uint32_t row, TimeRange range, Work work, CopyDirection direction) {
    if (parts_ == nullptr) return;
    if (range.begin > last_.range.end) Divide({last_.range.end, range.begin});
    if (range.end < last_.range.end) return;
    last_.row = row;
    last_.range.begin = range.begin, last_.range.end = range.end;
    last_.work = work;
    last_.direction = direction;
  }
  LateTimes Take();

 private:
  struct Event {
    uint32_t row = 0;
    TimeRange range{kMinPs, kMinPs};
    Work work = Work::kOther;
    CopyDirection direction = CopyDirection::kNone;
  };
  bool Blocks(const Event& copy) const;
  double WeightAt(Ps time);
  void Divide(TimeRange gap);

  const Trace& trace_;
  const Grouping& grouping_;
  const std::vector<IdleInterval>* parts_ = nullptr;  // by begin
  size_t part_ = 0, window_ = 0;
  const std::span<const double> weights_;  // by step
  const std::vector<StepWindow> windows_;
  Event last_;  // the event so far that ends last
  LateTimes times_;
};

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
