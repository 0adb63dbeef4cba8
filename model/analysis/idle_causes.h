// Why devices are idle (docs/rules.md#losses): each idle interval is divided by what the host
// thread did that launched the device's next event; where that thread did nothing, by its
// executor's and the main thread, or by a wait for input on any thread. The parts cover the
// interval exactly. The event of a part without a class (kUnknown) is no cause: it is what was open
// while work that had been launched did not begin.
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "model/analysis/host_activity.h"
#include "model/analysis/losses.h"
#include "model/analysis/steps.h"

namespace stepscope {

inline constexpr size_t kCausesOfClass = 5;  // listed of a step; the rest is one more

struct IdleGap {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t window = 0;        // of the caller
  uint32_t next_row = kNone;  // the device event that ends it
  Ps begin = 0, end = 0;
};

// Steps with their markers as spans; of a step without a marker the span stays. O(steps)
std::vector<Step> MarkedSteps(const Trace& trace, std::span<const Step> steps);

class IdleExplainer {
 public:
  // `steps`: as MarkedSteps gives them; nothing is between steps where they are inferred. `cpu`:
  // the program's device is the CPU.
  IdleExplainer(const Trace& trace, const Grouping& grouping, const HostActivity& activity,
                std::span<const Step> steps, bool cpu);

  // Divides gaps, which are sorted and disjoint and whose windows rise. `losses` by window; causes
  // and intervals get the window's number as their step. `intervals` and `parts_of_gaps` may be
  // null. Thread-safe. O(gaps * log launches + host events in the gaps * log events). Stopped, it
  // returns early, and what it fills is incomplete.
  void Explain(HostId host, PlaneId device, std::span<const IdleGap> gaps,
               std::vector<LossTimes>* losses, std::vector<IdleCause>* causes,
               IdleIntervals* intervals, DeviceIdle* parts_of_gaps = nullptr,
               const std::stop_token& stop = {}) const;
  // The thread with the markers of steps, else the busiest; null if the host has none.
  const Track* MainThread(HostId host) const;

 private:
  struct Part {
    uint32_t gap;
    HostPiece piece;
  };
  struct HostInfo {
    const Track* main = nullptr;
    std::vector<TimeRange> markers;
    HostSummary all;
  };
  using Parts = std::vector<Part>;
  void Divide(std::span<const IdleGap> gaps, std::map<const Track*, Parts>* open,
              std::map<const Track*, Parts>* late, Parts* done) const;
  void NameLate(const Track* thread, const Parts& late, Parts* done) const;
  Parts Ask(const Track* thread, const Parts& open, Parts* done) const;
  static Parts AskAll(std::span<const HostPiece> all, const Parts& open, Parts* done);
  Parts AskMain(const HostInfo& host, const Parts& open, Parts* done) const;
  const HostInfo& InfoOf(HostId host) const;
  void FindExecutors();

  const Trace& trace_;
  const Grouping& grouping_;
  const HostActivity& activity_;
  std::vector<HostInfo> hosts_;
  std::unordered_map<const Track*, const Track*> executors_;  // of threads that launch
};

}  // namespace stepscope
