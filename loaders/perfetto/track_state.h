// The state of one track of a Perfetto trace while its packets are read. Plain data.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "loaders/perfetto/event_reader.h"
#include "model/base/column.h"
#include "model/ids.h"

namespace stepscope::perfetto {

// The events of a track, in order of the file.
struct Record {
  static constexpr uint64_t kNoRef = UINT64_MAX;
  int64_t at, duration;
  uint64_t ref;  // where its packet lies; ~0 for an end without arguments
  uint32_t meta;
  EventType type;
};

struct Sample {
  int64_t at;
  double value;
};

// An event of a flow, by its track and record.
struct FlowPoint {
  uint64_t id;
  int64_t at;
  uint32_t track, record;
  bool ends;
};

struct TrackState {
  uint64_t uuid = 0, parent = 0;
  StringId name{0};
  bool process = false, thread = false, counter = false, incremental = false, device = false;
  bool flows = false;  // some event has one
  int64_t pid = 0, tid = 0, gpu = -1;
  int64_t multiplier = 1;
  Column<Record> records;
  Column<Sample> samples;
  Column<FlowPoint> flow_points;
};

// Slices with arguments at their end: where the packets of begin and end lie, sorted by begin.
using EndArguments = std::vector<std::pair<uint64_t, uint64_t>>;

}  // namespace stepscope::perfetto
