// The times of an XSpace: where t = 0 lies, how far each line of each host is from it, and one axis
// for all events of a TPU core. An op has a time by the session's clock, which bends by up to
// hundreds of milliseconds for single ops, and one by its core's own, which is the true one
// (docs/xspace.md#clocks-of-tpu-cores). Pure, but for the lines that it changes; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/xplane/lines/line_parser.h"
#include "model/diagnostics.h"
#include "model/time.h"
#include "model/track.h"

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

// The stats that tell the times of the events of such a plane, if it has both.
std::optional<CoreTimeStats> CoreTimeStatsOf(PlaneKind kind, const PlaneTables& tables);

struct CoreLine {
  TrackKind kind = TrackKind::kOther;
  ParsedLine* parsed = nullptr;
};

struct RetimedCore {
  uint64_t ops = 0;    // that have a time of their own
  uint64_t moved = 0;  // by more than 1 ms
  Ps farthest = 0;     // by how much the op that was moved most
  bool fits = true;    // false: the clocks have nothing in common, and no event was moved
};

// Ops, and all other events with a time of the core's, take that time, which one line maps to the
// session's axis. The other events of the core keep their places beside the ops: asynchronous work
// begins with the op that starts it and ends with the op that awaits it, a module holds the ops
// that it held, and what lies between two ops stays there. The times of the core are used up.
// O(n log n).
RetimedCore RetimeCore(std::span<const CoreLine> lines, const NameTable& names);

struct TpuCoreLines {
  std::string where;  // file and plane, for diagnostics
  std::vector<CoreLine> lines;
};
// Does so for each core, and says how many ops lie elsewhere than by the session's clock.
// `threads`: 0 for all cores of the machine.
void RetimeCores(std::span<const TpuCoreLines> cores, const NameTable& names, unsigned threads,
                 const std::stop_token& stop, Diagnostics* diagnostics);

}  // namespace stepscope::xplane
