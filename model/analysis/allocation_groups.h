// What an allocator held at a moment, grouped by who asked for it: tables of a memory snapshot for
// the analysis and the panel. Pure functions of an immutable history; any thread.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/result_table.h"

namespace stepscope {

// For each stack the innermost frame that is the program's own: "train.py:88 loss_history", empty
// where it has none. O(frames of all stacks)
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

// A part of a device's events, and where most was allocated in it.
struct AllocatorPart {
  uint32_t first = 0, last = 0;  // events [first, last) of the device
  uint32_t peak = 0;             // event
  int64_t peak_bytes = 0;
  // The state that the part leaves behind is that after its last event.
  uint32_t end() const { return last > first ? last - 1 : first; }
};
// Of the events in the range; all of an empty one. O(events + allocations)
AllocatorPart PartOf(const AllocatorHistory& history, const AllocatorDevice& device,
                     TimeRange range);
// The last event at or before the time, 0 where there is none. O(log events)
uint32_t EventAt(const AllocatorHistory& history, const AllocatorDevice& device, Ps time);

// Begins of the steps that the program annotated, as events of the device; the steps of a program
// are the annotations whose names differ in a number only, first those that are called steps.
struct AllocatorSteps {
  std::vector<uint32_t> begins;
  std::vector<std::string> names;
};
AllocatorSteps StepsOf(const AllocatorHistory& history, const AllocatorDevice& device);

// Columns frame, bytes, count, percent; by falling bytes. `event`: the state after it.
ResultTable LiveByFrame(const AllocatorHistory& history, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, const char* id,
                        const char* title);
// The same by whole stacks, the program's own frames first, at most `most` rows.
ResultTable LiveByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                        const UserFrames& frames, uint32_t event, size_t most);
ResultTable LiveByStream(const AllocatorHistory& history, const AllocatorDevice& device,
                         uint32_t event);
ResultTable LiveBySize(const AllocatorDevice& device, uint32_t event);
// Two moments compared: columns frame, a_bytes, b_bytes, delta_bytes, a_count, b_count; by falling
// change.
ResultTable Growth(const AllocatorDevice& device, const UserFrames& frames, uint32_t a, uint32_t b);
// The same by whole stacks, the program's own frames first: what changed, at most `most` rows.
// Column stack instead of frame.
ResultTable GrowthByStack(const AllocatorHistory& history, const AllocatorDevice& device,
                          const UserFrames& frames, uint32_t a, uint32_t b, size_t most);
// Frames that keep more with each step: what was allocated in the part and not freed, where at
// least two steps other than the first and the last left something (where there are fewer than
// four: any two). Without steps ten parts of equal time stand for them, and bytes_per_step is
// null. Columns frame, bytes, count, bytes_per_step, steps.
ResultTable Leaks(const AllocatorHistory& history, const AllocatorDevice& device,
                  const UserFrames& frames, const AllocatorPart& part);
// Each segment at the end: what is in use, free and the largest free block.
ResultTable SegmentTable(const AllocatorHistory& history, const AllocatorDevice& device);

// All frames of a stack in lines, the innermost first: for tooltips and details.
std::string StackText(const AllocatorHistory& history, uint32_t stack);

}  // namespace stepscope
