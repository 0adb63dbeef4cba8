// Finds where t = 0 lies, and how far each line of each host is from it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "model/time.h"

namespace stepscope::xplane {

// Line timestamps above this count from the Unix epoch, others from the start of profiling: 11.6
// days after 1970.
inline constexpr int64_t kEpochNs = 1'000'000'000'000'000;

struct LineStart {
  int64_t timestamp_ns = 0;
  uint64_t weight = 0;  // bytes of events; a line without events does not count
  // Out:
  Ps base_ps = 0;  // the line's start, from the origin
  bool zero_based_among_epoch = false;
  bool stray = false;
};

struct HostTimes {
  int64_t start_unix_ns = 0;  // profile_start_time, 0 if unknown
  std::vector<LineStart> lines;
  // Result: nothing says where this host lies beside the others, so it is put at their origin.
  bool unaligned = false;
};

// Fills the `out` members. Returns the Unix time of t = 0 in ns, or 0 if unknown.
int64_t PlaceOrigin(std::vector<HostTimes>* hosts);

}  // namespace stepscope::xplane
