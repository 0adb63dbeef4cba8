// Moments and parts of a memory snapshot's recording: an event at a time, the events in a range,
// and the steps that the program annotated. Pure functions of an immutable history; any thread.
// AllocatorCategories tells what the program was doing when it allocated: what it compiled, else
// the innermost annotation of the device that was open. Numbers in names are left out, so that all
// steps are one category. Views the history, which must outlive it. Immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

// People read this where no frame of the program asked for memory.
inline constexpr const char* kBeforeRecording = "from before the recording";
inline constexpr const char* kNoFrame = "no frame of the program";

// The device with the highest peak; null without devices.
const AllocatorDevice* FullestDevice(const AllocatorHistory& history);

// A part of a device's events, and the event in it after which most was allocated.
struct AllocatorPart {
  uint32_t first = 0, last = 0;  // events [first, last) of the device
  uint32_t peak = 0;             // event
  int64_t peak_bytes = 0;
  // The event whose state the part leaves behind: its last one.
  uint32_t end() const { return last > first ? last - 1 : first; }
};
// The events in the range; all if it is empty. O(events + allocations).
AllocatorPart PartOf(const AllocatorHistory& history, const AllocatorDevice& device,
                     TimeRange range);
// The last event at or before the time, else 0. O(log events).
uint32_t EventAt(const AllocatorHistory& history, const AllocatorDevice& device, Ps time);

// The begins of the steps that the program annotated, as events of the device. Steps are the
// annotations whose names differ only in a number; those called step are preferred. O(notes log
// events).
struct AllocatorSteps {
  std::vector<uint32_t> begins;
  std::vector<std::string> names;
};
AllocatorSteps StepsOf(const AllocatorHistory& history, const AllocatorDevice& device);

class AllocatorCategories {
 public:
  static constexpr uint32_t kNone = 0;    // no annotation, nothing compiled
  static constexpr uint32_t kBefore = 1;  // made before the recording

  // O(annotations log annotations + names).
  explicit AllocatorCategories(const AllocatorHistory& history);

  const std::vector<std::string>& labels() const { return labels_; }
  // Whether there is any category besides these two.
  bool any() const { return labels_.size() > 2; }
  // The category of an allocation of the device, an index of labels(). O(log annotations).
  uint32_t Of(const AllocatorDevice& device, const Allocation& allocation) const;

 private:
  // (us, label): the category from that time on.
  using Changes = std::vector<std::pair<int64_t, uint32_t>>;
  uint32_t LabelOf(StringId name);
  void ReadNotes();
  void ReadContexts();

  const AllocatorHistory& history_;
  std::vector<std::string> labels_;
  std::map<std::string, uint32_t> known_;
  std::map<int, Changes> changes_;         // by device
  std::map<uint32_t, uint32_t> contexts_;  // by StringId of what was being compiled
};

}  // namespace stepscope
