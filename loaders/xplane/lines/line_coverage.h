// LineCoverage: slices that stand for all events of a line, from the events of some places. One
// thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/raw_events.h"

namespace stepscope::xplane {

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

}  // namespace stepscope::xplane
