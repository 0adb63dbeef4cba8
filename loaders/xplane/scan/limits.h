// Limits of the XSpace loader (docs/xspace.md). What lies beyond one is skipped and counted; it is
// never an error. Memory is less than the input for real files. For a file of nothing but the
// smallest events it is about 30 times the input (4 bytes become 24), plus what these constants
// allow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::xplane {

inline constexpr size_t kMaxPlanes = 100'000;  // in all files together
inline constexpr size_t kMaxLines = 500'000;   // in all files together
inline constexpr size_t kMaxMetadata =
    16'000'000;  // event metadata entries of all files; as many stat metadata
inline constexpr size_t kMaxMessageBytes =
    4 << 20;  // larger metadata messages are walked, not parsed as a whole
inline constexpr size_t kMaxPlaneStats = 10'000;  // stats of one plane that are kept
inline constexpr size_t kMaxErrors = 1'000;       // XSpace.errors and warnings that are kept
inline constexpr size_t kMaxHloInstructions = 8'000'000;
inline constexpr size_t kMaxStatBytes = 1 << 20;    // bytes of one text stat, after inflating
inline constexpr size_t kMaxStatsPerEvent = 4'096;  // shown for one event

// Times are clipped to +-106 days around the origin.
inline constexpr int64_t kMaxTimePs = int64_t{106} * 86'400 * 1'000'000'000'000;
// Line timestamps above this count from the Unix epoch, others from the start of profiling: 11.6
// days after 1970.
inline constexpr int64_t kEpochNs = 1'000'000'000'000'000;

}  // namespace stepscope::xplane
