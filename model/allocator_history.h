// AllocatorHistory: what a caching allocator did while its history was recorded, and how its memory
// lay at the end: a PyTorch memory snapshot. Columns, because a job makes tens of millions of
// events. Built by one loader, then immutable and shared by any threads. About 62 bytes an
// allocation and 37 an event.
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

// The format of a trace that is a memory snapshot.
inline constexpr TraceFormat kMemorySnapshot{2};

enum class AllocatorAction : uint8_t {
  kAlloc,
  kFreeRequested,  // the program gave it back; streams may still use it
  kFreeCompleted,  // it can be given out again
  kSegmentAlloc,   // the allocator took memory from the device, or gave it back
  kSegmentFree,
  kSegmentMap,  // the same for parts of an expandable segment
  kSegmentUnmap,
  kOutOfMemory,
  kSnapshot,  // this snapshot was asked for
  kOther,
};

struct StackFrame {
  StringId name, file;  // of AllocatorHistory::strings
  uint32_t line = 0;
};

// Events in the order in which they happened.
struct AllocatorEvents {
  Column<AllocatorAction> action;
  Column<uint64_t> address;
  Column<int64_t> size;      // bytes
  Column<int64_t> time_us;   // Unix time
  Column<uint32_t> stack;    // index of AllocatorHistory::stacks
  Column<uint32_t> stream;   // index of AllocatorHistory::streams
  Column<uint32_t> context;  // StringId of what was being compiled; 0: nothing
  size_t count() const { return action.size(); }
};

struct AllocatorBlock {
  uint64_t address = 0;
  int64_t size = 0, requested = 0;
  uint32_t stack = 0;
  bool in_use = false;   // allocated, or waiting for a stream that uses it
  bool waiting = false;  // given back, and a stream still uses it
};

struct AllocatorSegment {
  uint64_t address = 0;
  int64_t size = 0;  // bytes taken from the device
  uint32_t stream = 0;
  int device = 0;
  StringId type;  // "large", "small"
  bool expandable = false;
  std::string pool;                      // "(0, 1)" of a private pool, else empty
  uint32_t first_block = 0, blocks = 0;  // of AllocatorHistory::blocks, by address
};

struct AllocatorNote {  // of external_annotations: a begin or an end
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
  // Events of the device, counted from its first. kNever as begin: made before the recording; as
  // end: not freed in it.
  uint32_t begin = kNever, end = kNever;
  uint32_t stack = 0, stream = 0, context = 0;
  bool before() const { return begin == kNever; }
  bool freed() const { return end != kNever; }
  // Whether it is there right after an event of the device has happened.
  bool LiveAfter(uint32_t event) const {
    return (before() || begin <= event) && (!freed() || end > event);
  }
};

// One device: its part of the events, and what follows from them.
struct AllocatorDevice {
  int index = 0;
  size_t first_event = 0, events = 0;  // of AllocatorHistory::events
  Column<Allocation> allocations;      // by the event that made them; those from before come last
  uint32_t peak_event =
      0;  // the first after which most was allocated; 0 too where nothing happened
  int64_t peak_bytes = 0;
  int64_t bytes_before = 0, bytes_at_end = 0;
  int64_t reserved_before = 0;          // so that what segments add up to is reserved at the end
  int64_t reserved_bytes = 0;           // at the end: the sizes of its segments
  std::vector<uint32_t> out_of_memory;  // events
};

struct AllocatorHistory {
  AllocatorHistory();
  StringPool strings;
  std::vector<StackFrame> frames;
  Column<uint32_t> stack_frames;  // frames of all stacks, the innermost of each first
  std::vector<uint32_t> stacks;   // where each begins in stack_frames, and the end; 0 is empty
  std::vector<uint64_t> streams;  // 0 is first
  AllocatorEvents events;
  std::vector<std::pair<uint32_t, int64_t>> device_free;  // of out of memory: event, bytes
  std::vector<AllocatorSegment> segments;                 // by device and address
  std::vector<AllocatorBlock> blocks;
  std::vector<AllocatorNote> notes;      // by time
  std::vector<AllocatorDevice> devices;  // that have events or segments, by index
  std::vector<std::pair<std::string, std::string>> settings;
  int64_t origin_us = 0;  // Unix time of the trace's zero

  size_t stack_count() const { return stacks.size() - 1; }
  std::span<const uint32_t> Stack(uint32_t stack) const {  // indices of frames
    if (stack >= stack_count()) return {};
    return stack_frames.span().subspan(stacks[stack], stacks[stack + 1] - stacks[stack]);
  }
  std::span<const AllocatorBlock> BlocksOf(const AllocatorSegment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.blocks);
  }
  Ps TimeOf(int64_t time_us) const {  // on the trace's axis
    return SaturatingMul(SaturatingSub(time_us, origin_us), kPsPerUs);
  }
  Ps EventTime(const AllocatorDevice& device, uint32_t event) const {
    return TimeOf(events.time_us[device.first_event + event]);
  }
  size_t bytes() const;
};

// The history of a trace that is a memory snapshot; null for any other. It lives as long as the
// trace: it is what the trace's source reads.
const AllocatorHistory* HistoryOf(const Trace& trace);
class HistorySource : public StatSource {
 public:
  virtual const AllocatorHistory& history() const = 0;
};

// Finds the allocations of each device out of its events and the blocks at the end, the peak, and
// what was reserved; sets devices' members but index, first_event and events. Counts what does not
// fit together. Sums saturate. O(events + blocks), expected.
struct AllocatorRepairs {
  uint64_t address_reused = 0;  // allocated while it was: its deallocation was not recorded
};
AllocatorRepairs ReplayAllocator(AllocatorHistory* history);

// What is allocated after each event of the device. O(events + allocations)
Column<int64_t> AllocatedAfter(const AllocatorDevice& device);
// By how much the event changes what is reserved of the device.
int64_t ReservedChange(const AllocatorEvents& events, size_t row);

// "train.py:88 loss_history" of a frame.
std::string FrameLabel(const AllocatorHistory& history, uint32_t frame);
// Whether a frame is of the program itself: Python outside of installed packages and of torch.
bool IsUserFrame(const AllocatorHistory& history, uint32_t frame);

}  // namespace stepscope
