// The memory that an allocator held at a moment, grouped by the code that asked for it: tables of a
// memory snapshot for the analysis and the panel. Pure functions of an immutable history; any
// thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/memory/allocator_parts.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// People read this where no frame of the program asked for memory.
inline constexpr const char* kBeforeRecording = "from before the recording";
inline constexpr const char* kNoFrame = "no frame of the program";

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

// The memory that was live after the event, by frame. Columns frame, bytes, count, percent, by
// falling bytes. O(allocations).
ResultTable LiveByFrame(const AllocatorHistory& history, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, const char* id,
                        const char* title);
// The memory that was live after the event, by whole stack, of which the program's own frames are
// shown. At most `most` rows.
ResultTable LiveByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, size_t most);
ResultTable LiveByStream(const AllocatorHistory& history, const AllocatorDevice& device,
                         uint32_t event);
ResultTable LiveBySize(const AllocatorDevice& device, uint32_t event);
// Compares the states after the events `a` and `b`: columns frame, a_bytes, b_bytes, delta_bytes,
// a_count, b_count, by falling change. O(allocations).
ResultTable Growth(const AllocatorDevice& device, const UserFrames& frames, uint32_t a, uint32_t b);
// Compares them by whole stack: what changed, at most `most` rows, with the column stack in place
// of frame.
ResultTable GrowthByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                          const UserFrames& frames, uint32_t a, uint32_t b, size_t most);
// Frames that keep more with each step: what was allocated in the part and not freed, if at least
// two steps other than the first and the last left something (any two of fewer than four).
// Without steps ten parts of equal time stand for them, and bytes_per_step is null. Columns
// frame, bytes, count, bytes_per_step, steps. O(allocations).
ResultTable Leaks(const AllocatorHistory& history, const AllocatorDevice& device,
                  const UserFrames& frames, const AllocatorPart& part);
// Each segment at the end of the recording: bytes in use, free bytes and the largest free block.
// O(segments + blocks).
ResultTable SegmentTable(const AllocatorHistory& history, const AllocatorDevice& device);

// All frames of a stack, a line each, the innermost first: for tooltips and details.
std::string StackText(const AllocatorHistory& history, uint32_t stack);

}  // namespace stepscope
