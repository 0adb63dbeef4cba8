// NestedSpanBuilder: builds one derived line (docs/rules.md#derived-lines): nested levels of
// events, each as long as consecutive source events belong to the same thing. Used by one thread;
// O(1) for each event and level.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/trace_builder.h"

namespace stepscope {

class NestedSpanBuilder {
 public:
  // Source events are parts of one derived event if they have the same group (step) and, where both
  // have one, the same scope range.
  struct Source {
    Ps begin = 0, end = 0;  // of the source event, ps
    int32_t group = -1;
    std::optional<int64_t> scope;
    EventRow row;
  };

  // `line` closes all its levels whenever the top level of this one closes.
  void AddDependent(NestedSpanBuilder* line) { dependents_.push_back(line); }

  // Adds a source event; they come in order of begin. metas[i] is what it belongs to at level i,
  // the outermost level first. While meta, group and scope of a level stay the same, its event
  // grows to the end of the source event, across any gap; else that level and all below it close,
  // and new events open.
  void Add(std::span<const uint32_t> metas, const Source& source);

  bool empty() const { return events_.start.empty(); }
  RawEvents TakeEvents() { return std::move(events_); }
  std::vector<EventRow> TakeSources() {
    return std::move(rows_);
  }  // the first of each derived event

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
  std::vector<NestedSpanBuilder*> dependents_;
};

}  // namespace stepscope
