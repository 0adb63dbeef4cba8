// A coarse picture of lines that are too long to be read at once: what is seen at some places of
// each, evenly spread. It takes about a hundredth of the time that parsing the lines takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

#include "loaders/xplane/lines/line_set.h"
#include "model/base/status.h"

namespace stepscope::xplane {

struct SampledLine {
  LineTask task;
  bool as_read = false;  // its events are kept, instead of slices that stand for them
};

struct SampleLimits {
  size_t places = 8192;  // of all lines together; a power of two
  // Within `both_ends` the ends of all lines must be seen. Within `rest` places between them are
  // read. Both count from the beginning.
  std::chrono::milliseconds both_ends{120}, rest{25};
  uint64_t whole_bytes =
      64 << 10;  // lines that are no longer are read whole, whatever their places
};

// Fills task.parsed of each line. Short lines are read whole. In a long one a place is found by a
// row of events that follow one another, each with a metadata id of the plane. It becomes slices
// that stand for all events up to the next place (line_coverage.h), without references. `threads`:
// 0 for all cores.
//
// kLimit where there are too many lines, or too little time for both ends of each; kIo; kCancelled.
// O(places), whatever the lines' lengths.
Status SampleLines(std::span<const SampledLine> lines, const SampleLimits& limits, unsigned threads,
                   const std::stop_token& stop);

}  // namespace stepscope::xplane
