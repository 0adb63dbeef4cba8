// A coarse picture of lines that are too long to be read at once: what is seen at some places of
// each, evenly spread. It takes about a hundredth of the time that parsing the lines takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "loaders/xplane/lines/line_set.h"
#include "model/base/status.h"
#include "model/lane_builder.h"

namespace stepscope::xplane {

// LineCoverage: slices that stand for all events of a line, from the events of some places. One
// thread at a time.
class LineCoverage {
 public:
  // Adds the events of one place, in any order, which take `bytes` from byte `at` of the file on.
  // Those whose meta is `kMissingMeta` or above are left out.
  void Add(uint64_t at, uint64_t bytes, const RawEvents& slices, const RawEvents& instants);

  // The places in order of time, as slices without references: from the begin of the place's first
  // event, for each depth one under the name of the longest event there. It lasts as long as all
  // bytes up to the next place would if they were like those of the place: bytes / the place's
  // bytes x the time in which its events of that depth run; at most until the next place's begin,
  // and no longer than the slice above. Each place's first instant stays. Returns the time of the
  // outermost slices.
  Ps Take(RawEvents* slices, RawEvents* instants);

 private:
  struct Level {
    Ps busy = 0, longest = -1;
    uint32_t meta = 0;
  };
  struct Place {
    uint64_t at = 0, bytes = 0;
    double stands_for = 1;  // times its own bytes
    Ps begin = 0, end = 0;  // of its events
    std::vector<Level> levels;
    Ps instant = 0;
    uint32_t instant_meta = 0;
    bool has_instant = false;
  };
  struct Event {
    Ps begin, end;
    uint32_t meta;
  };

  void AddLevels(Place* place);
  void WeighPlaces();

  std::vector<Place> places_;
  std::vector<Event> events_;  // of the place that is added
  std::vector<Ps> open_;       // ends of the events that a next one may lie in
};

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
// that stand for all events up to the next place (LineCoverage), without references. `threads`:
// 0 for all cores.
//
// kLimit where there are too many lines, or too little time for both ends of each; kIo; kCancelled.
// O(places), whatever the lines' lengths.
Status SampleLines(std::span<const SampledLine> lines, const SampleLimits& limits, unsigned threads,
                   const std::stop_token& stop);

}  // namespace stepscope::xplane
