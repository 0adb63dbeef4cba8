// Stated limits of the XSpace loader. What lies beyond is skipped and counted, never an error.
// Memory is bounded by about 30 times the input for a file of nothing but the smallest events (4
// bytes each become 24), less than the input for real ones, plus what these constants allow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::xplane {

inline constexpr size_t kMaxPlanes = 100'000;  // of all files together
inline constexpr size_t kMaxLines = 500'000;   // of all files together
inline constexpr size_t kMaxMetadata =
    16'000'000;  // event metadata entries of all files; as many stat metadata
inline constexpr size_t kMaxNameBytes = 1 << 20;  // longer names are cut
inline constexpr size_t kMaxMessageBytes =
    4 << 20;  // larger metadata messages are walked, not parsed as a whole
inline constexpr size_t kMaxPlaneStats = 10'000;  // stats of one plane that are kept
inline constexpr size_t kMaxErrors = 1'000;       // XSpace.errors and warnings that are kept
inline constexpr size_t kMaxHloInstructions = 8'000'000;
inline constexpr size_t kMaxStatBytes = 1 << 20;    // of one string stat, after gzip
inline constexpr size_t kMaxStatsPerEvent = 4'096;  // shown for one event
inline constexpr int kMaxGroupDepth = 32;  // nesting of (deprecated) groups that is skipped over

// Times are clipped to +-106 days around the origin.
inline constexpr int64_t kMaxTimePs = int64_t{106} * 86'400 * 1'000'000'000'000;
// Line timestamps above this count from the Unix epoch, others from the start of profiling: 11.6
// days after 1970.
inline constexpr int64_t kEpochNs = 1'000'000'000'000'000;

}  // namespace stepscope::xplane
