#include "model/allocator_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/number_hash.h"

namespace stepscope {
namespace {

// Finds the allocation that lives at an address: a hash table with open addressing. Each event adds
// or removes an entry, which must not allocate.
class LiveTable {
 public:
  LiveTable() : entries_(kFirst) {}

  // The slot of the address, or the slot where it belongs. O(1).
  uint32_t* Find(uint64_t address) {
    Entry& entry = entries_[PlaceOf(address)];
    return entry.index == kNone ? nullptr : &entry.index;
  }
  void Add(uint64_t address, uint32_t index) {  // the address must be new
    if (2 * ++count_ > entries_.size()) Grow();
    entries_[PlaceOf(address)] = {address, index};
  }
  // The entries that follow move up, so that a search never meets a hole.
  void Remove(uint64_t address) {
    const size_t mask = entries_.size() - 1;
    size_t hole = PlaceOf(address);
    for (size_t at = (hole + 1) & mask; entries_[at].index != kNone; at = (at + 1) & mask) {
      const size_t home = hash_(entries_[at].address) & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole].index = kNone;
    --count_;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kFirst = 1024;  // all sizes are powers of two
  struct Entry {
    uint64_t address = 0;
    uint32_t index = kNone;
  };

  size_t PlaceOf(uint64_t address) const {
    const size_t mask = entries_.size() - 1;
    size_t at = hash_(address) & mask;
    while (entries_[at].index != kNone && entries_[at].address != address) at = (at + 1) & mask;
    return at;
  }
  void Grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.index != kNone) entries_[PlaceOf(entry.address)] = entry;
    }
  }

  SeededHash hash_;
  std::vector<Entry> entries_;
  size_t count_ = 0;
};

// The allocations of one device while its events are replayed.
class Replay {
 public:
  Replay(const AllocatorHistory& history, AllocatorDevice* device, AllocatorRepairs* repairs)
      : history_(history), events_(history.events), device_(*device), repairs_(*repairs) {}

  void Run() {
    free_ = FreeAction();
    for (uint32_t e = 0; e < device_.events; ++e) Play(e);
    AddBlocks();
    Arrange();
    FindPeak();
    FindReserved();
  }

 private:
  size_t Row(uint32_t event) const { return device_.first_event + event; }

  // Old recordings have one kind of free, new ones two.
  AllocatorAction FreeAction() const {
    for (uint32_t e = 0; e < device_.events; ++e) {
      if (events_.action[Row(e)] == AllocatorAction::kFreeCompleted)
        return AllocatorAction::kFreeCompleted;
    }
    return AllocatorAction::kFreeRequested;
  }

  void Play(uint32_t e) {
    const AllocatorAction action = events_.action[Row(e)];
    if (action == AllocatorAction::kAlloc) {
      Allocate(e);
    } else if (action == free_) {
      Free(e);
    } else if (action == AllocatorAction::kOutOfMemory) {
      device_.out_of_memory.push_back(e);
    }
  }

  void Allocate(uint32_t e) {
    const size_t row = Row(e);
    const auto next = static_cast<uint32_t>(made_.size());
    if (uint32_t* live = live_.Find(events_.address[row])) {
      ++repairs_.address_reused;
      made_[*live].end = e;
      *live = next;
    } else {
      live_.Add(events_.address[row], next);
    }
    made_.push_back({events_.address[row], events_.size[row], e, Allocation::kNever,
                     events_.stack[row], events_.stream[row], events_.context[row]});
  }

  void Free(uint32_t e) {
    const size_t row = Row(e);
    if (const uint32_t* live = live_.Find(events_.address[row])) {
      made_[*live].end = e;
      live_.Remove(events_.address[row]);
      return;
    }
    // The allocation is older than the recording, and its stack is unknown.
    before_.push_back({events_.address[row], events_.size[row], Allocation::kNever, e, 0,
                       events_.stream[row], 0});
  }

  // A block in use at the end that no event made is older than the recording.
  void AddBlocks() {
    for (const AllocatorSegment& segment : history_.segments) {
      if (segment.device != device_.index) continue;
      for (const AllocatorBlock& block : history_.BlocksOf(segment)) {
        if (!block.in_use || live_.Find(block.address) != nullptr) continue;
        if (block.waiting && free_ == AllocatorAction::kFreeRequested) continue;
        before_.push_back({block.address, block.size, Allocation::kNever, Allocation::kNever,
                           block.stack, segment.stream, 0});
      }
    }
  }

  void Arrange() {
    device_.allocations = std::move(made_);
    for (const Allocation& a : before_) {
      device_.bytes_before = SaturatingAdd(device_.bytes_before, a.size);
      device_.allocations.push_back(a);
    }
    device_.allocations.ShrinkToFit();
  }

  void FindPeak() {
    const Column<int64_t> after = AllocatedAfter(device_);
    device_.peak_bytes = device_.bytes_at_end = device_.bytes_before;
    for (uint32_t e = 0; e < device_.events; ++e) {
      if (after[e] <= device_.peak_bytes) continue;
      device_.peak_bytes = after[e];
      device_.peak_event = e;
    }
    if (device_.events > 0) device_.bytes_at_end = after[device_.events - 1];
  }

  void FindReserved() {
    for (const AllocatorSegment& segment : history_.segments) {
      if (segment.device == device_.index)
        device_.reserved_bytes = SaturatingAdd(device_.reserved_bytes, segment.size);
    }
    int64_t change = 0;
    for (uint32_t e = 0; e < device_.events; ++e)
      change = SaturatingAdd(change, ReservedChange(events_, Row(e)));
    device_.reserved_before = std::max<int64_t>(0, SaturatingSub(device_.reserved_bytes, change));
  }

  const AllocatorHistory& history_;
  const AllocatorEvents& events_;
  AllocatorDevice& device_;
  AllocatorRepairs& repairs_;
  AllocatorAction free_ = AllocatorAction::kFreeCompleted;
  LiveTable live_;  // indices of made_
  Column<Allocation> made_;
  std::vector<Allocation> before_;
};

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

}  // namespace

AllocatorHistory::AllocatorHistory() : stacks{0, 0}, streams{0} {}

size_t AllocatorHistory::bytes() const {
  size_t sum = strings.bytes() + frames.size() * sizeof(StackFrame) +
               (stack_frames.size() + stacks.size()) * sizeof(uint32_t) +
               events.count() * (1 + 3 * sizeof(int64_t) + 3 * sizeof(uint32_t)) +
               blocks.size() * sizeof(AllocatorBlock) + segments.size() * sizeof(AllocatorSegment);
  for (const AllocatorDevice& d : devices) sum += d.allocations.size() * sizeof(Allocation);
  return sum;
}

const AllocatorHistory* HistoryOf(const Trace& trace) {
  const auto* source = dynamic_cast<const HistorySource*>(trace.source.get());
  return source != nullptr ? &source->history() : nullptr;
}

// Allocations are sorted by begin, not by end. So it first collects what
// each event changes, then adds up.
Column<int64_t> AllocatedAfter(const AllocatorDevice& device) {
  Column<int64_t> level;
  level.Resize(device.events);
  std::fill_n(level.data(), level.size(), 0);
  for (const Allocation& a : device.allocations.span()) {
    if (!a.before()) level[a.begin] = SaturatingAdd(level[a.begin], a.size);
    if (a.freed()) level[a.end] = SaturatingSub(level[a.end], a.size);
  }
  int64_t now = device.bytes_before;
  for (int64_t& change : std::span(level.data(), level.size()))
    change = now = SaturatingAdd(now, change);
  return level;
}

int64_t ReservedChange(const AllocatorEvents& events, size_t row) {
  switch (events.action[row]) {
    case AllocatorAction::kSegmentAlloc:
    case AllocatorAction::kSegmentMap:
      return events.size[row];
    case AllocatorAction::kSegmentFree:
    case AllocatorAction::kSegmentUnmap:
      return SaturatingSub(0, events.size[row]);
    default:
      return 0;
  }
}

AllocatorRepairs ReplayAllocator(AllocatorHistory* history) {
  AllocatorRepairs repairs;
  for (AllocatorDevice& device : history->devices) Replay(*history, &device, &repairs).Run();
  return repairs;
}

std::string FrameLabel(const AllocatorHistory& history, uint32_t frame) {
  if (frame >= history.frames.size()) return {};
  const StackFrame& f = history.frames[frame];
  return fmt::format("{}:{} {}", BaseName(history.strings.View(f.file)), f.line,
                     history.strings.View(f.name));
}

bool IsUserFrame(const AllocatorHistory& history, uint32_t frame) {
  if (frame >= history.frames.size()) return false;
  const std::string_view file = history.strings.View(history.frames[frame].file);
  constexpr std::string_view kOurs[] = {".py", "<ipython-input", "/ipykernel_"};
  constexpr std::string_view kLibraries[] = {"site-packages/", "dist-packages/", "/lib/python",
                                             "/lib64/python",  "/torch/",        "<frozen"};
  const auto has = [&](std::string_view part) { return file.find(part) != file.npos; };
  return std::any_of(std::begin(kOurs), std::end(kOurs), has) &&
         std::none_of(std::begin(kLibraries), std::end(kLibraries), has);
}

}  // namespace stepscope
