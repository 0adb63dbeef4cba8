// HeapReplay: the state of a heap while the events of XLA's heap simulator are replayed. Internal
// to buffer_heap.cc. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

// Positions in the points of a heap, both included.
struct BufferSpan {
  uint32_t first = 0, last = 0;
};

struct HeapPoint {
  int64_t bytes = 0, unpadded = 0;  // before the event; indefinite buffers included
  std::string_view instruction;     // at whose place in the program; empty at the end
};

class HeapReplay {
 public:
  // Replays the first `count` of `events`.
  HeapReplay(const HloModule& module, std::vector<HeapEvent> events);
  void Run(size_t count);

  const std::vector<HeapPoint>& points() const { return points_; }
  size_t size() const { return events_.size(); }
  int64_t peak = 0, unpadded_peak = 0;
  size_t peak_position = 0;
  std::vector<std::optional<BufferSpan>> spans;
  // Buffers that are live now, by begin, each as the buffer that stands for its memory.
  std::vector<uint32_t> Live() const;

 private:
  struct State {
    int64_t references = 0;
    uint32_t shares_with = kNone, shown_as = kNone;
    uint64_t live_number = 0;  // key in live_; 0: not live
    bool closed = false;
  };
  void Apply(const HeapEvent& event, uint32_t position);
  void Alloc(uint32_t buffer, uint32_t position);
  void Free(uint32_t buffer, uint32_t position);
  void Share(uint32_t buffer, uint32_t with, uint32_t position);
  void Grow(uint32_t canonical, uint32_t position);
  uint32_t CanonicalOf(uint32_t buffer);
  int64_t UnpaddedSize(uint32_t buffer) const;

  const HloModule& module_;
  std::vector<HeapEvent> events_;
  std::vector<State> states_;
  std::vector<HeapPoint> points_;
  std::map<uint64_t, uint32_t> live_;
  uint64_t next_number_ = 1;
  int64_t bytes_ = 0, unpadded_ = 0;
};

}  // namespace stepscope::xla
