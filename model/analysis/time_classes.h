// The classes that step time is divided into, in XProf's order of priority
// (docs/rules.md#time-classes), and which class an event has by its name. Names are classified once
// for each metadata.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/analysis/event_order.h"
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

// Device events by name, as XProf does: CUPTI's MemcpyH2D and the like count as 32-bit compute.
TimeClass XprofDeviceClass(std::string_view name);
// Device events as what they are: copies by direction, memsets as device to device,
// collectives by name, 16 bits and fewer by name.
TimeClass OwnDeviceClass(std::string_view name, EventCategory category);
// Host events of CPU profiles.
TimeClass HostClass(std::string_view name);
// train, test and TraceContext without '/': marks a step by its name alone.
bool IsExplicitMarker(std::string_view name);
// EagerExecute, EagerLocalExecute, EagerKernelExecute, FunctionRun: their time is their children's.
bool IsWrapper(std::string_view name);

enum class CopyDirection : uint8_t { kNone, kHostToDevice, kDeviceToHost, kDeviceToDevice };
CopyDirection DirectionOf(std::string_view name);

// Length of the union of intervals at each priority or above, fed in order of start. exclusive(c)
// is then the time in which c is the highest class open.
class ClassUnion {
 public:
  ClassUnion() { cursor_.fill(kMinPs); }
  // Adds to `clip`'s part and to the whole.
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
