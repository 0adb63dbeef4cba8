// The memory that an allocator held at a moment, grouped by the code that asked for it: tables of a
// memory snapshot for the analysis and the panel. Pure functions of an immutable history; any
// thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/memory/allocator_parts.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// Labels each stack by its innermost frame that is the program's own: "train.py:88 loss_history",
// or empty where it has none. Immutable. O(frames of all stacks) to build.
class UserFrames {
 public:
  explicit UserFrames(const AllocatorHistory& history);
  uint32_t Of(uint32_t stack) const { return of_stack_[stack]; }  // index of a label; 0: empty
  const std::string& Label(uint32_t index) const { return labels_[index]; }
  size_t size() const { return labels_.size(); }

 private:
  std::vector<uint32_t> of_stack_;
  std::vector<std::string> labels_;
};

enum class GroupedBy : uint8_t { kFrame, kStack, kStream, kSize };

struct AllocationSum {
  int64_t bytes = 0, count = 0;
  void Add(const Allocation& a) { bytes = SaturatingAdd(bytes, a.size), ++count; }
};
// The memory that was live at a moment, of one frame, stack, stream or class of sizes.
struct LiveGroup {
  SharedText name;      // empty: no frame of the program
  SharedText readable;  // says whose it is then
  AllocationSum sum;
  double percent = 0;  // of the bytes of all groups
};
// The same of two moments.
struct GrownGroup {
  SharedText name, readable;
  AllocationSum a, b;
  int64_t delta() const { return SaturatingSub(b.bytes, a.bytes); }
};
// A frame that keeps more with each step.
struct LeakingGroup {
  SharedText name, readable;
  AllocationSum sum;                      // allocated while recording and not freed
  std::optional<int64_t> bytes_per_step;  // none without steps
  uint32_t steps = 0;                     // that left something behind
};

// The memory that was live after the event, by falling bytes. O(allocations).
std::vector<LiveGroup> LiveByFrame(const AllocatorDevice& device, const UserFrames& frames,
                                   uint32_t event);
// By whole stack, of which the program's own frames are shown. At most `most` groups.
std::vector<LiveGroup> LiveByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                                   const UserFrames& frames, uint32_t event, size_t most);
std::vector<LiveGroup> LiveByStream(const AllocatorHistory& history, const AllocatorDevice& device,
                                    uint32_t event);
std::vector<LiveGroup> LiveBySize(const AllocatorDevice& device, uint32_t event);
// Columns: the name, bytes, count, percent.
ResultTable LiveTable(GroupedBy by, const std::vector<LiveGroup>& groups, const char* id,
                      const std::string& title);

// Compares the states after the events `a` and `b`, by falling change. O(allocations).
std::vector<GrownGroup> Growth(const AllocatorDevice& device, const UserFrames& frames, uint32_t a,
                               uint32_t b);
// Compares them by whole stack: what changed, at most `most` groups.
std::vector<GrownGroup> GrowthByStack(const AllocatorHistory& history,
                                      const AllocatorDevice& device, const UserFrames& frames,
                                      uint32_t a, uint32_t b, size_t most);
// Columns: the name, a_bytes, b_bytes, delta_bytes, a_count, b_count. `then` and `later`: labels of
// the bytes.
ResultTable GrowthTable(GroupedBy by, const std::vector<GrownGroup>& groups, const char* id,
                        const std::string& title, const char* then = "Then",
                        const char* later = "Later");

// Frames that keep more with each step: what was allocated in the part and not freed, if at least
// two steps other than the first and the last left something (any two of fewer than four). Without
// steps ten parts of equal time stand for them. O(allocations).
std::vector<LeakingGroup> Leaks(const AllocatorHistory& history, const AllocatorDevice& device,
                                const UserFrames& frames, const AllocatorPart& part);
ResultTable LeakTable(const std::vector<LeakingGroup>& groups);
// Each segment at the end of the recording: bytes in use, free bytes and the largest free block.
// O(segments + blocks).
ResultTable SegmentTable(const AllocatorHistory& history, const AllocatorDevice& device);

// All frames of a stack, a line each, the innermost first: for tooltips and details.
std::string StackText(const AllocatorHistory& history, uint32_t stack);

}  // namespace stepscope
