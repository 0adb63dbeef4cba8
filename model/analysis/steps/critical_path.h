// CriticalPath: what a stretch of time waited for, event by event, from its end back to its begin
// (docs/findings.md#critical-path): work of a device; the call that launched it, if the device
// waited for that; what the host thread did before; and the work that a blocking call waited for.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/trace.h"

namespace stepscope {

struct PathPart {
  // kLaunch: a launch call, and the time until its work begins. kSync: a blocking call after the
  // work it waited for has ended. kHost: anything else on a host thread.
  enum class Kind : uint8_t { kDevice, kLaunch, kHost, kSync };
  static constexpr size_t kKinds = 4;
  Kind kind = Kind::kDevice;
  EventRow row;     // in the trace's own set
  TimeRange range;  // the part of the event that lies on the path
  bool operator==(const PathPart&) const = default;
};

struct CriticalPath {
  PlaneId device;                            // where the path ends; invalid: there is no path
  TimeRange span;                            // as asked for
  std::vector<PathPart> parts;               // by time, disjoint
  std::array<Ps, PathPart::kKinds> times{};  // ps by kind
  // False: the path had more than kMostPathParts parts, and begins where the kept ones do.
  bool whole = true;
  Ps covered() const { return times[0] + times[1] + times[2] + times[3]; }
};

inline constexpr size_t kMostPathParts = 20'000;

// The path that ends on the device with most work in the span (the first one of equal ones).
// `flows` must have the launches. Empty if no device works in the span. O(parts * (lanes of the
// device + depth of a thread) * log events)
CriticalPath FindCriticalPath(const Trace& trace, const FlowIndex& flows, TimeRange span);

}  // namespace stepscope
