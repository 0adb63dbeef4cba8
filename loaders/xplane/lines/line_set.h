// Parses all lines of a run in parallel. A line that would outlast the other threads is split into
// pieces and put together again, without a difference in the result.
#pragma once

#include <functional>
#include <span>
#include <stop_token>

#include "loaders/xplane/lines/line_parser.h"
#include "model/base/job.h"
#include "model/base/status.h"

namespace stepscope::xplane {

// Other work that shares the threads and is started before the lines: run(0) to run(count - 1).
struct SideWork {
  size_t count = 0;
  std::function<Status(size_t)> run;
};

// Parses all lines and does the other work; returns when all is done, with the first error. kIo,
// kCancelled. `threads`: 0 for all cores.
Status ParseLineSet(std::span<const LineTask> lines, const SideWork& side, unsigned threads,
                    const std::stop_token& stop, Progress* progress);

}  // namespace stepscope::xplane
