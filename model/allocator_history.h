// AllocatorHistory: the contents of a PyTorch memory snapshot: what a caching allocator did while
// its history was recorded, and how its memory was divided at the end. It uses columns, because a
// job makes tens of millions of events: about 62 bytes for an allocation and 37 for an event. One
// loader builds it; then it is immutable and any thread may read it. Sizes are bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/column.h"
#include "model/ids.h"
#include "model/string_pool.h"
#include "model/time.h"
#include "model/trace.h"

namespace stepscope {

enum class AllocatorAction : uint8_t {
  kAlloc,
  kFreeRequested,  // the program freed the memory; streams may still use it
  kFreeCompleted,  // the memory can be allocated again
  kSegmentAlloc,   // the allocator took memory from the device, or gave it back
  kSegmentFree,
  kSegmentMap,  // the same for parts of an expandable segment
  kSegmentUnmap,
  kOutOfMemory,
  kSnapshot,  // the program asked for this snapshot
  kOther,
};

struct StackFrame {
  StringId name, file;  // in AllocatorHistory::strings
  uint32_t line = 0;
};

// Events in the order in which they happened.
struct AllocatorEvents {
  Column<AllocatorAction> action;
  Column<uint64_t> address;
  Column<int64_t> size;      // bytes
  Column<int64_t> time_us;   // Unix time
  Column<uint32_t> stack;    // index into AllocatorHistory::stacks
  Column<uint32_t> stream;   // index into AllocatorHistory::streams
  Column<uint32_t> context;  // StringId of what was being compiled; 0: nothing
  size_t count() const { return action.size(); }
};

struct AllocatorBlock {
  uint64_t address = 0;
  int64_t size = 0, requested = 0;
  uint32_t stack = 0;
  bool in_use = false;   // allocated, or waiting for a stream that uses it
  bool waiting = false;  // freed by the program, but a stream still uses it
};

struct AllocatorSegment {
  uint64_t address = 0;
  int64_t size = 0;  // bytes taken from the device
  uint32_t stream = 0;
  int device = 0;
  StringId type;  // "large", "small"
  bool expandable = false;
  std::string pool;                      // "(0, 1)": the private pool; else empty
  uint32_t first_block = 0, blocks = 0;  // range of AllocatorHistory::blocks, sorted by address
};

struct AllocatorNote {  // the begin or the end of an entry of external_annotations
  StringId name;
  int device = 0;
  bool begin = false;
  int64_t time_us = 0;
};

// An allocation, from the event that made it to the one that freed it.
struct Allocation {
  static constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();
  uint64_t address = 0;
  int64_t size = 0;
  // Events of the device, counted from its first one. `begin` is kNever if the allocation is older
  // than the recording; `end` is kNever if the recording does not free it.
  uint32_t begin = kNever, end = kNever;
  uint32_t stack = 0, stream = 0, context = 0;
  bool before() const { return begin == kNever; }
  bool freed() const { return end != kNever; }
  // Whether the allocation exists right after that event of the device.
  bool LiveAfter(uint32_t event) const {
    return (before() || begin <= event) && (!freed() || end > event);
  }
};

// One device: its part of the events, and what ReplayAllocator finds in them.
struct AllocatorDevice {
  int index = 0;
  size_t first_event = 0, events = 0;  // range of AllocatorHistory::events
  Column<Allocation> allocations;      // sorted by begin; those older than the recording come last
  // The first event after which most was allocated; also 0 if there are no events.
  uint32_t peak_event = 0;
  int64_t peak_bytes = 0;
  int64_t bytes_before = 0, bytes_at_end = 0;
  int64_t reserved_before = 0;  // chosen so that the events lead to reserved_bytes at the end
  int64_t reserved_bytes = 0;   // at the end: sum of the sizes of its segments
  std::vector<uint32_t> out_of_memory;  // events of that kind
};

struct AllocatorHistory {
  AllocatorHistory();
  StringPool strings;
  std::vector<StackFrame> frames;
  Column<uint32_t>
      stack_frames;              // frames of all stacks; each stack begins with its innermost frame
  std::vector<uint32_t> stacks;  // begins in stack_frames, and the end; stack 0 is empty
  std::vector<uint64_t> streams;  // stream 0 is the first
  AllocatorEvents events;
  std::vector<std::pair<uint32_t, int64_t>> device_free;  // out-of-memory event, free bytes then
  std::vector<AllocatorSegment> segments;                 // sorted by device and address
  std::vector<AllocatorBlock> blocks;
  std::vector<AllocatorNote> notes;      // sorted by time
  std::vector<AllocatorDevice> devices;  // those with events or segments, sorted by index
  std::vector<std::pair<std::string, std::string>> settings;
  int64_t origin_us = 0;  // Unix time of the trace's zero

  size_t stack_count() const { return stacks.size() - 1; }
  std::span<const uint32_t> Stack(uint32_t stack) const {  // indices into frames, innermost first
    if (stack >= stack_count()) return {};
    return stack_frames.span().subspan(stacks[stack], stacks[stack + 1] - stacks[stack]);
  }
  std::span<const AllocatorBlock> BlocksOf(const AllocatorSegment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.blocks);
  }
  Ps TimeOf(int64_t time_us) const {  // on the trace's time axis
    return SaturatingMul(SaturatingSub(time_us, origin_us), kPsPerUs);
  }
  Ps EventTime(const AllocatorDevice& device, uint32_t event) const {
    return TimeOf(events.time_us[device.first_event + event]);
  }
  size_t bytes() const;
};

// The history of a trace that is a memory snapshot; null for any other
// trace. The trace's source owns it.
const AllocatorHistory* HistoryOf(const Trace& trace);
class HistorySource : public StatSource {
 public:
  virtual const AllocatorHistory& history() const = 0;
};

// Counts of the repairs that ReplayAllocator had to make.
struct AllocatorRepairs {
  uint64_t address_reused = 0;  // addresses allocated twice: the free between was not recorded
};
// Replays the events of each device. From them and from the blocks at the end it finds the device's
// allocations, its peak and its reserved bytes, and sets all members of AllocatorDevice except
// index, first_event and events. Sums saturate. O(events + blocks) on average.
AllocatorRepairs ReplayAllocator(AllocatorHistory* history);

// The bytes allocated after each event of the device. O(events + allocations).
Column<int64_t> AllocatedAfter(const AllocatorDevice& device);
// By how many bytes the event changes the device's reserved memory.
int64_t ReservedChange(const AllocatorEvents& events, size_t row);

// A frame as people read it: "train.py:88 loss_history".
std::string FrameLabel(const AllocatorHistory& history, uint32_t frame);
// Whether a frame belongs to the program itself: Python code outside installed packages and torch.
bool IsUserFrame(const AllocatorHistory& history, uint32_t frame);

}  // namespace stepscope
