// The classes that the nine columns of the step table are summed from, in XProf's
// order of priority, and the class of an event by its name
// (docs/rules.md#time-classes; XProf: xprof/utils/event_span.cc). Callers classify
// each name once (MetaId), not each event. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/analysis/intervals/event_order.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

enum class TimeClass : uint8_t {  // a later one hides an earlier one
  kUnknown,
  kHostCompute,
  kHostToHost,
  kHostToDevice,
  kKernelLaunch,
  kCollectives,
  kInputWait,
  kDeviceToDevice,
  kDeviceToHost,
  kCompute32,
  kCompute16,
  kCount
};
inline constexpr size_t kTimeClasses = static_cast<size_t>(TimeClass::kCount);
using ClassTimes = std::array<Ps, kTimeClasses>;
inline Ps& At(ClassTimes& times, TimeClass c) { return times[static_cast<size_t>(c)]; }
inline Ps At(const ClassTimes& times, TimeClass c) { return times[static_cast<size_t>(c)]; }

// XProf's class of a device event: CUPTI's MemcpyH2D and the like count as 32-bit compute.
TimeClass XprofDeviceClass(std::string_view name);
// Our class of a device event: copies by direction, memsets as copies on the device, collectives
// and 16-bit compute by name.
TimeClass OwnDeviceClass(std::string_view name, EventCategory category);
// The class of a host event, in profiles without devices.
TimeClass HostClass(std::string_view name);
// Whether the name alone marks a step: it begins with train, test or TraceContext and has no '/'.
bool IsExplicitMarker(std::string_view name);
// EagerExecute, EagerLocalExecute, EagerKernelExecute, FunctionRun:
// only what is inside them counts.
bool IsWrapper(std::string_view name);

enum class CopyDirection : uint8_t { kNone, kHostToDevice, kDeviceToHost, kDeviceToDevice };
// The direction of a copy; kNone if the name says none, or is no copy's.
CopyDirection DirectionOf(std::string_view name);

// Sums, for intervals fed in order of start, the time in which each class is the highest one open:
// in all, and inside a clip range. For each class it holds the union of the intervals of that class
// and above; the exclusive time of a class is the difference of two unions. ps.
class ClassUnion {
 public:
  ClassUnion() { cursor_.fill(kMinPs); }
  // Adds an interval to the whole, and the part inside `clip` to the inside.
  void Add(Ps begin, Ps end, TimeClass c, TimeRange clip) {
    for (size_t t = static_cast<size_t>(c); t > 0; --t) {
      Ps from = begin > cursor_[t] ? begin : cursor_[t];
      if (end <= from) continue;
      cursor_[t] = end;
      whole_[t] += end - from;
      Ps a = from > clip.begin ? from : clip.begin, b = end < clip.end ? end : clip.end;
      if (b > a) inside_[t] += b - a;
    }
  }
  Ps InsideExclusive(TimeClass c) const { return Exclusive(inside_, c); }
  Ps WholeExclusive(TimeClass c) const { return Exclusive(whole_, c); }
  Ps Inside() const { return inside_[1]; }

 private:
  static Ps Exclusive(const ClassTimes& u, TimeClass c) {
    size_t i = static_cast<size_t>(c);
    return u[i] - (i + 1 < kTimeClasses ? u[i + 1] : 0);
  }
  ClassTimes cursor_{}, whole_{}, inside_{};
};

}  // namespace stepscope
