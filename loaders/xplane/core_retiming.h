// Sets all events of a TPU core on one axis. An op has a time by the session's clock, which bends
// by up to hundreds of milliseconds for single ops, and one by its core's own, which is the true
// one (docs/xspace.md#clocks-of-tpu-cores). Pure, but for the lines that it changes; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/xplane/lines/line_parser.h"
#include "model/diagnostics.h"
#include "model/track.h"

namespace stepscope::xplane {

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
