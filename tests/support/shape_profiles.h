// Profiles that have one thing many times and are small otherwise, in both formats: costs that grow
// faster than the input show on them. Deterministic.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepscope::test {

enum class Shape : std::uint8_t {
  kSeries,     // series of one counter event
  kSteps,      // steps, each with a name of its own
  kThreads,    // threads (XSpace: lines of one plane) of one event
  kProcesses,  // processes (XSpace: planes) of one thread with one event
  kCounters,   // counters of one sample
  kNames,      // events on one thread, each with a name of its own
  kTextIds,    // Chrome: texts as process ids; XSpace: metadata ids far apart
  kNested,     // Chrome: begins without an end, inside one another; XSpace: the same as slices
  kOverlaps,   // slices that overlap their neighbours without nesting
};
inline constexpr Shape kAllShapes[] = {Shape::kSeries,    Shape::kSteps,    Shape::kThreads,
                                       Shape::kProcesses, Shape::kCounters, Shape::kNames,
                                       Shape::kTextIds,   Shape::kNested,   Shape::kOverlaps};

std::string_view NameOf(Shape shape);  // "series", ...
std::string ChromeShape(Shape shape, std::uint32_t n);
std::string XSpaceShape(Shape shape, std::uint32_t n);

}  // namespace stepscope::test
