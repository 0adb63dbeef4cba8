// CriticalPath: what a stretch of time waited for, event by event, from its end back to its begin
// (docs/findings.md#critical-path): work of a device, the call that launched it when the device
// waited for that, what the host thread did before, and the work that a blocking call waited for.
// Pure.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "model/analysis/flow_index.h"
#include "model/trace.h"

namespace stepscope {

struct PathPart {
  // kLaunch: of the call, until what it launched begins. kSync: of a call that blocks, after what
  // it waited for has ended. kHost: anything else on a host thread.
  enum class Kind : uint8_t { kDevice, kLaunch, kHost, kSync };
  static constexpr size_t kKinds = 4;
  Kind kind = Kind::kDevice;
  EventRow row;     // of the trace's own set
  TimeRange range;  // the part of the event that lies on the path
  bool operator==(const PathPart&) const = default;
};

struct CriticalPath {
  PlaneId device;                            // that it ends on; invalid: there is no path
  TimeRange span;                            // that was asked about
  std::vector<PathPart> parts;               // by time, disjoint
  std::array<Ps, PathPart::kKinds> times{};  // by kind
  bool whole = true;  // false: it had more parts than kMost, and begins where these do
  Ps covered() const { return times[0] + times[1] + times[2] + times[3]; }
};

inline constexpr size_t kMostPathParts = 20'000;

// Of the device with most work in the span; of those that work alike the first. Launches are those
// of `flows`. Nothing where no device works in it. O(parts * (lanes of the device + depth of a
// thread) * log events)
CriticalPath FindCriticalPath(const Trace& trace, const FlowIndex& flows, TimeRange span,
                              const std::stop_token& stop = {});

}  // namespace stepscope
