// Why devices are idle (docs/rules.md#losses). Each idle interval is divided by what the host
// thread did that launched the device's next event; where that thread did nothing, by its
// executor's thread, a wait for input on any thread, the main thread, and blocking calls of other
// threads, in this order. The parts cover the interval exactly. Work whose launch had returned
// before the interval began was queued: the host is no cause of it. The event of a part of kQueued
// is the wait for another stream's event that precedes the launch, or the blocking call that the
// host was in; that of kUnknown is what was open while launched work did not begin, or another
// thread's blocking call that was still open when the work began.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/steps/idle_sums.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// The steps, each with the time of its marker as span; steps without a marker keep theirs. O(steps)
std::vector<Step> MarkedSteps(const Trace& trace, std::span<const Step> steps);

class IdleExplainer {
 public:
  // Work starts soon after its launch; work that starts later than this many times the length of
  // the call waits for something else.
  static constexpr Ps kSoon = 16;

  // `steps`: those of MarkedSteps(); where they are inferred, no idle time is between steps. `cpu`:
  // the program's device is the CPU. All arguments except the steps must outlive this.
  IdleExplainer(const Trace& trace, const Grouping& grouping, const HostActivity& activity,
                std::span<const Step> steps, bool cpu);

  // Divides gaps; these are sorted and disjoint, and their windows do not fall. Adds to
  // losses[window]; causes and intervals have the number of their window as step. `losses` and
  // `intervals` may be null. Any thread. O(gaps * log launches + host events in the gaps * log
  // events); its memory does not grow with the gaps.
  void Explain(HostId host, PlaneId device, std::span<const IdleGap> gaps,
               std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes,
               IdleIntervals* intervals) const;
  class Stream;
  // The thread with the markers of steps, else the busiest one; null if the host has none.
  const Track* MainThread(HostId host) const;
  // Device events that the launch of a graph started / those whose launch is known. O(1).
  double GraphShare() const { return graph_share_; }

 private:
  struct Part {
    uint32_t gap;
    HostPiece piece;
    bool queued = false;  // the work after the gap was launched before the gap
  };
  struct HostInfo {
    const Track* main = nullptr;
    std::vector<TimeRange> markers;
    HostSummary all;
  };
  using Parts = std::vector<Part>;
  using PartsOfThreads = std::map<const Track*, Parts>;
  struct Walk;  // over the gaps of a device, some at a time
  void Divide(std::span<const IdleGap> gaps, Walk* walk) const;
  void FindParts(const HostInfo& info, bool cpu, std::span<const IdleGap> gaps, Walk* walk) const;
  void AddAwaited(const Track& thread, EventRow launch, HostPiece* piece) const;
  void NameOps(const Track* thread, std::vector<size_t> calls, Parts* done) const;
  void NameLate(const HostInfo& host, const Track* thread, const Parts& late, Parts* done) const;
  Parts Ask(const Track* thread, const Parts& open, Parts* done) const;
  static Parts AskAll(std::span<const HostPiece> all, const Parts& open, Parts* done);
  Parts AskMain(const HostInfo& host, std::span<const IdleGap> gaps, const Parts& open,
                Parts* done) const;
  bool ReturnsIn(const IdleGap& gap, const HostPiece& piece) const;
  void PassOn(const HostInfo& host, std::span<const IdleGap> gaps, const Parts& said,
              Parts* done) const;
  Parts AskBlockers(const HostInfo& host, std::span<const IdleGap> gaps, const Parts& open,
                    Parts* done) const;
  const HostInfo& InfoOf(HostId host) const;
  void FindExecutors();
  void FindGraphs(const std::vector<bool>& graphs);
  bool GraphRuns(EventRow launch, Ps at) const;

  const Trace& trace_;
  const Grouping& grouping_;
  const HostActivity& activity_;
  std::vector<HostInfo> hosts_;
  std::vector<bool>
      waits_for_event_;  // by MetaId; empty: there is no call that makes a stream wait
  std::unordered_map<const Track*, const Track*> executors_;  // by thread that launches
  std::unordered_map<uint32_t, Ps> graph_begins_;  // by launch of a graph: its first node's begin
  double graph_share_ = 0;
};

// Explains the gaps of one device while they are found, so that nobody needs to keep them. One
// thread.
class IdleExplainer::Stream {
 public:
  // The arguments as those of IdleExplainer::Explain; `parts_of_gaps` may be null. All must outlive
  // this.
  Stream(const IdleExplainer& explainer, HostId host, PlaneId device,
         std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes,
         IdleIntervals* intervals, DeviceIdle* parts_of_gaps);
  ~Stream();
  // Gives the next gap, which the caller fills.
  IdleGap& Next();
  void Explain(std::span<const IdleGap> gaps);
  void Finish();  // called once, after the last gap

 private:
  const IdleExplainer& explainer_;
  const HostInfo& info_;
  const PlaneId device_;
  IdleIntervals* const intervals_;
  DeviceIdle* const parts_of_gaps_;
  GapParts of_gap_;
  CauseSums sums_;
  std::unique_ptr<Walk> walk_;
  std::vector<IdleGap> gaps_;
};

}  // namespace stepscope
