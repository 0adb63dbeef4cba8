// LevelLine: one derived line while it is being filled: nested levels of events that grow as long
// as what they stand for goes on (docs/rules.md#derived-lines). Used by one thread; O(1) an event
// and level.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/trace_builder.h"

namespace stepscope {

class LevelLine {
 public:
  // What makes two source events parts of the same derived event: the group (step) and, where both
  // have one, the scope range.
  struct Source {
    Ps begin = 0, end = 0;  // of the source event
    int32_t group = -1;
    std::optional<int64_t> scope;
    EventRow row;
  };

  // When the top level of this line closes, all levels of `line` close too.
  void AddDependent(LevelLine* line) { dependents_.push_back(line); }

  // metas[i] is what the source event belongs to at level i, the outermost first. Source events
  // come in order of begin. A level is extended to the union with the event, whatever the gap,
  // while its meta, group and scope stay the same; else it and all below it close and a new event
  // opens.
  void Add(std::span<const uint32_t> metas, const Source& source);

  bool empty() const { return events_.start.empty(); }
  RawEvents TakeEvents() { return std::move(events_); }
  std::vector<EventRow> TakeSources() { return std::move(rows_); }  // the first of each event

 private:
  struct Open {
    uint32_t index, meta;
    int32_t group;
    std::optional<int64_t> scope;
  };
  void CloseFrom(size_t level);

  RawEvents events_;
  std::vector<EventRow> rows_;
  std::vector<std::optional<Open>> open_;  // by level
  std::vector<LevelLine*> dependents_;
};

}  // namespace stepscope
