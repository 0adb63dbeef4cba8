// Events whose names say input, compilation, garbage collection and the like, and which enclose
// what the program itself launches (docs/rules.md#losses): their names are no cause. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/grouping/host_role.h"
#include "model/trace.h"

namespace stepscope {

// Who wrote the name of an event, as far as it is asked what it encloses.
enum class Namer : uint8_t {
  kNobody,      // it is not asked
  kFunction,    // a library's function that is known by its own name
  kLibrary,     // any function of a library's folder
  kAnnotation,  // the program, by an annotation
  kEvent,       // the program or the framework, by a name without scopes
};

// Who wrote the name; kNobody for roles that what is inside does not change. O(name).
Namer NamerOf(HostRole role, std::string_view name, EventCategory category);

// The question about a thread's events. All spans are by MetaId.
struct EnclosedLaunches {
  std::span<const HostRole> roles;
  std::span<const Namer> namers;
  std::span<const uint8_t> markers;             // it marks a step
  std::function<bool(uint32_t row)> is_launch;  // it started work of a device
};

// The rows of the events of `thread` that enclose what the program launches. A mark of a step
// inside is enough for each of them. Else it takes a launch: inside an op for a function that is
// known by its name and for annotations of input, any launch for other functions and for
// annotations of compilation, and several for annotations of garbage collection and barriers.
// Launches inside what tunes kernels are none of the program. O(events log events).
std::vector<uint32_t> EnclosingEvents(const Trace& trace, const Track& thread,
                                      const EnclosedLaunches& asked);

}  // namespace stepscope
