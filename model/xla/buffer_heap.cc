#include "model/xla/buffer_heap.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stepscope::xla {
namespace {

// When each instruction of a program runs: the entry's schedule, with the bodies of loops, calls
// and branches before the instruction that calls them. Views the module. Immutable. O(instructions)
// to build, without recursion.
class ProgramOrder {
 public:
  explicit ProgramOrder(const HloModule& module);
  // The position of the first instruction of that name; 0 for a name that there is not. O(1).
  uint32_t Of(std::string_view instruction) const {
    const auto it = positions_.find(instruction);
    return it == positions_.end() ? 0 : it->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> positions_;
};

ProgramOrder::ProgramOrder(const HloModule& module) {
  if (module.entry == kNone) return;
  struct Place {
    uint32_t computation;
    size_t next;
    size_t entered;  // instruction before which its callees were entered; 0: none
  };
  std::vector<bool> seen(module.computations.size());
  std::vector<Place> stack = {{module.entry, 0, 0}};
  uint32_t position = 0;
  seen[module.entry] = true;
  while (!stack.empty()) {
    Place& at = stack.back();
    const std::vector<uint32_t>& sequence = module.computations[at.computation].sequence;
    if (at.next == sequence.size()) {
      stack.pop_back();
      continue;
    }
    const Instruction& i = module.instructions[sequence[at.next]];
    if (at.entered != at.next + 1) {
      at.entered = at.next + 1;
      const auto called = module.Called(i);
      for (size_t k = called.size(); k-- > 0;) {
        if (seen[called[k]]) continue;
        seen[called[k]] = true;
        stack.push_back({called[k], 0, 0});
      }
      continue;
    }
    positions_.try_emplace(i.name, ++position);
    ++at.next;
  }
}

// The state of a heap while the events of XLA's heap simulator are replayed.
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

HeapReplay::HeapReplay(const HloModule& module, std::vector<HeapEvent> events)
    : spans(module.buffers.buffers.size()),
      module_(module),
      events_(std::move(events)),
      states_(module.buffers.buffers.size()) {}

void HeapReplay::Run(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    points_.push_back({bytes_, unpadded_, events_[i].instruction});
    Apply(events_[i], static_cast<uint32_t>(i));
  }
  if (count == events_.size() && count > 0) points_.push_back({bytes_, unpadded_, {}});
}

void HeapReplay::Apply(const HeapEvent& event, uint32_t position) {
  switch (event.kind) {
    case HeapEvent::Kind::kAlloc:
      return Alloc(event.buffer, position);
    case HeapEvent::Kind::kFree:
      return Free(event.buffer, position);
    case HeapEvent::Kind::kShare:
      return Share(event.buffer, event.share_with, position);
  }
}

// The buffer whose memory this one has. Paths are shortened as they are walked.
uint32_t HeapReplay::CanonicalOf(uint32_t buffer) {
  uint32_t end = buffer;
  while (states_[end].shares_with != kNone) end = states_[end].shares_with;
  while (states_[buffer].shares_with != kNone)
    buffer = std::exchange(states_[buffer].shares_with, end);
  return end;
}

int64_t HeapReplay::UnpaddedSize(uint32_t buffer) const {
  return BytesOf(BufferShape(module_, module_.buffers.buffers[buffer]));
}

void HeapReplay::Grow(uint32_t canonical, uint32_t position) {
  State& state = states_[canonical];
  if (state.live_number == 0) {
    state.live_number = next_number_++;
    live_.emplace(state.live_number, canonical);
  }
  bytes_ = std::min(kMostElements, bytes_ + module_.buffers.buffers[canonical].size);
  unpadded_ = std::min(kMostElements, unpadded_ + UnpaddedSize(canonical));
  if (bytes_ <= peak) return;
  peak = bytes_;
  unpadded_peak = unpadded_;
  peak_position = position;
}

void HeapReplay::Alloc(uint32_t buffer, uint32_t position) {
  ++states_[CanonicalOf(buffer)].references;
  spans[buffer] = BufferSpan{position, static_cast<uint32_t>(events_.size() - 1)};
  Grow(buffer, position);
}

void HeapReplay::Free(uint32_t buffer, uint32_t position) {
  const uint32_t canonical = CanonicalOf(buffer);
  State& state = states_[canonical];
  if (--state.references == 0) {
    live_.erase(state.live_number);
    state.live_number = 0;
    bytes_ = std::max<int64_t>(0, bytes_ - module_.buffers.buffers[canonical].size);
    unpadded_ = std::max<int64_t>(0, unpadded_ - UnpaddedSize(canonical));
    if (spans[canonical] && !std::exchange(state.closed, true)) spans[canonical]->last = position;
  }
  if (spans[buffer] && buffer != canonical) spans[buffer]->last = position;
}

void HeapReplay::Share(uint32_t buffer, uint32_t with, uint32_t position) {
  const uint32_t canonical = CanonicalOf(with);
  if (canonical == buffer) return;  // it would share with itself
  states_[buffer].shares_with = canonical;
  if (++states_[canonical].references != 1) return;
  spans[buffer] = BufferSpan{position, static_cast<uint32_t>(events_.size() - 1)};
  states_[canonical].shown_as = buffer;
  Grow(canonical, position);
}

std::vector<uint32_t> HeapReplay::Live() const {
  std::vector<uint32_t> buffers;
  for (const auto& [number, buffer] : live_) {
    const uint32_t shown = states_[buffer].shown_as;
    buffers.push_back(shown == kNone ? buffer : shown);
  }
  return buffers;
}

constexpr size_t kMostScopedConfigBytes = 1 << 20;

class SpaceHeap {
 public:
  SpaceHeap(const HloModule& module, int64_t space, HeapTraces traces)
      : module_(module), buffers_(module.buffers), space_(space), traces_(traces) {
    trace_of_.resize(buffers_.allocations.size(), kNone);
    AssignTraces();
  }

  BufferHeap Build() {
    AddSizes();
    HeapReplay replay(module_, ChosenEvents());
    replay.Run(replay.size());
    heap_.points = replay.points();
    heap_.spans = replay.spans;
    AddPeak(replay);
    AddBlocks();
    return std::move(heap_);
  }

 private:
  // The allocation of a trace is the one that has the trace's first buffer.
  void AssignTraces() {
    std::unordered_map<uint32_t, uint32_t> owner;
    for (uint32_t a = 0; a < buffers_.allocations.size(); ++a) {
      for (const AssignedBuffer& b : buffers_.allocations[a].assigned) owner[b.buffer] = a;
    }
    allocation_of_ = std::move(owner);
    for (uint32_t t = 0; t < buffers_.heap_traces.size(); ++t) {
      const std::vector<HeapEvent>& events = buffers_.heap_traces[t];
      if (events.empty()) continue;
      const auto it = allocation_of_.find(events.front().buffer);
      if (it != allocation_of_.end()) trace_of_[it->second] = t;
    }
  }

  bool IsTemporaryHere(uint32_t a) const {
    const BufferAllocation& allocation = buffers_.allocations[a];
    return allocation.memory_space == space_ && allocation.temporary();
  }

  std::vector<uint32_t> ChosenTraces() const {
    std::vector<uint32_t> chosen;
    for (uint32_t a = 0; a < buffers_.allocations.size(); ++a) {
      if (!IsTemporaryHere(a) || trace_of_[a] == kNone) continue;
      chosen.push_back(trace_of_[a]);
      if (traces_ == HeapTraces::kFirst) return chosen;
    }
    if (chosen.empty() && MostOfSpace() != kNone) chosen.push_back(MostOfSpace());
    return chosen;
  }

  // The trace with most events of buffers of the space.
  uint32_t MostOfSpace() const {
    size_t most = 0;
    uint32_t found = kNone;
    for (uint32_t t = 0; t < buffers_.heap_traces.size(); ++t) {
      const std::vector<HeapEvent>& events = buffers_.heap_traces[t];
      const auto here = [&](const HeapEvent& e) {
        return buffers_.buffers[e.buffer].memory_space == space_;
      };
      const size_t n = static_cast<size_t>(std::count_if(events.begin(), events.end(), here));
      if (n <= most) continue;
      most = n;
      found = t;
    }
    return found;
  }

  // The events of the chosen traces in program order.
  std::vector<HeapEvent> ChosenEvents() const {
    const std::vector<uint32_t> chosen = ChosenTraces();
    if (chosen.empty()) return {};
    if (chosen.size() == 1) return buffers_.heap_traces[chosen.front()];
    const ProgramOrder order(module_);
    std::vector<std::pair<uint32_t, const HeapEvent*>> events;
    for (const uint32_t t : chosen) {
      uint32_t position = 0;
      for (const HeapEvent& e : buffers_.heap_traces[t]) {
        position = std::max(position, order.Of(e.instruction));
        events.emplace_back(position, &e);
      }
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<HeapEvent> merged;
    merged.reserve(events.size());
    for (const auto& [position, event] : events) merged.push_back(*event);
    return merged;
  }

  void AddSizes() {
    for (const BufferAllocation& a : buffers_.allocations) {
      if (a.memory_space != space_) continue;
      if (!a.thread_local_memory) Add(a.size, &heap_.total);
      if (a.indefinite()) Add(a.size, &heap_.indefinite);
      if (a.entry_parameter) Add(a.size, &heap_.parameters);
      if (a.live_out) Add(a.size, &heap_.live_out);
      if (a.thread_local_memory || a.tuple) Add(a.size, &heap_.non_reusable);
      if (a.indefinite() && Largest(a) != kNone) Add(a.size, &always_);
    }
  }

  static void Add(int64_t size, int64_t* sum) { *sum = std::min(kMostElements, *sum + size); }

  // The largest buffer of the allocation; kNone if it has none that takes memory.
  uint32_t Largest(const BufferAllocation& a) const {
    uint32_t largest = kNone;
    int64_t most = 0;
    for (const AssignedBuffer& b : a.assigned) {
      const int64_t size = buffers_.buffers[b.buffer].size;
      if (size <= most) continue;
      most = size;
      largest = b.buffer;
    }
    return largest;
  }

  const BufferAllocation* AllocationOf(uint32_t buffer) const {
    const auto it = allocation_of_.find(buffer);
    return it == allocation_of_.end() ? nullptr : &buffers_.allocations[it->second];
  }

  void AddPeak(const HeapReplay& whole) {
    for (HeapPoint& p : heap_.points) p.bytes += always_, p.unpadded += always_;
    heap_.peak = whole.peak + always_;
    heap_.unpadded_peak = whole.unpadded_peak + always_;
    heap_.peak_position = whole.peak_position;
    if (space_ == 0 || traces_ == HeapTraces::kAll) {
      for (const BufferAllocation& a : buffers_.allocations) {
        if (a.memory_space != space_ || !a.indefinite()) continue;
        if (const uint32_t b = Largest(a); b != kNone) heap_.at_peak.push_back({b, &a});
      }
    }
    if (whole.peak == 0) return;
    HeapReplay until_peak(module_, ChosenEvents());
    until_peak.Run(whole.peak_position + 1);
    for (const uint32_t b : until_peak.Live()) heap_.at_peak.push_back({b, AllocationOf(b)});
  }

  void AddBlocks() {
    int64_t base = 0;
    for (uint32_t a = 0; a < buffers_.allocations.size(); ++a) {
      if (!IsTemporaryHere(a) || trace_of_[a] == kNone) continue;
      const BufferAllocation& allocation = buffers_.allocations[a];
      const uint32_t events = static_cast<uint32_t>(buffers_.heap_traces[trace_of_[a]].size());
      heap_.blocks.push_back({kNone, base, allocation.size, {0, events}});
      for (const AssignedBuffer& b : allocation.assigned) {
        if (const auto& span = heap_.spans[b.buffer])
          heap_.blocks.push_back(
              {b.buffer, base + b.offset, buffers_.buffers[b.buffer].size, *span});
      }
      Add(allocation.size, &base);
    }
  }

  const HloModule& module_;
  const BufferAssignment& buffers_;
  const int64_t space_;
  const HeapTraces traces_;
  std::unordered_map<uint32_t, uint32_t> allocation_of_;  // by buffer
  std::vector<uint32_t> trace_of_;                        // by allocation; kNone: none
  int64_t always_ = 0;                                    // of indefinite allocations with buffers
  BufferHeap heap_;
};

using Json = nlohmann::json;

int64_t NumberAt(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return 0;
  if (it->is_number_integer()) return it->get<int64_t>();
  int64_t number = 0;
  if (it->is_string()) {
    const std::string& text = it->get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

int64_t ScopedVmemOf(std::string_view config) {
  constexpr const char* kKey = "used_scoped_memory_configs";
  if (config.size() > kMostScopedConfigBytes || config.find(kKey) == config.npos) return 0;
  const Json json = Json::parse(config, nullptr, false);
  if (!json.is_object() || !json.contains(kKey) || !json[kKey].is_array()) return 0;
  int64_t most = 0;
  for (const Json& entry : json[kKey]) {
    if (entry.is_object() && NumberAt(entry, "memory_space") == 1)
      most = std::max(most, NumberAt(entry, "size"));
  }
  return most;
}

bool HandsOn(const Instruction& i) {
  return i.opcode == Op("get-tuple-element") || i.opcode == Op("bitcast") ||
         i.opcode_name.ends_with("-done");
}

// The fusion that calls the computation; kNone if none does.
uint32_t FusionOf(const HloModule& module, uint32_t computation) {
  for (const Instruction& i : module.instructions) {
    const std::span<const uint32_t> called = module.Called(i);
    if (i.opcode == Op("fusion") &&
        std::find(called.begin(), called.end(), computation) != called.end())
      return module.IndexOf(i);
  }
  return kNone;
}

}  // namespace

BufferHeap ReplayHeap(const HloModule& module, int64_t memory_space, HeapTraces traces) {
  return SpaceHeap(module, memory_space, traces).Build();
}

std::vector<int64_t> MemorySpacesOf(const HloModule& module) {
  std::set<int64_t> spaces;
  for (const BufferAllocation& a : module.buffers.allocations) spaces.insert(a.memory_space);
  return {spaces.begin(), spaces.end()};
}

std::string NameOf(const HloModule& module, const LogicalBuffer& buffer) {
  std::string name;
  if (buffer.instruction != kNone) name = module.instructions[buffer.instruction].name;
  for (size_t k = 0; k < buffer.shape_index.size(); ++k)
    name += (k == 0 ? "{" : ",") + std::to_string(buffer.shape_index[k]);
  return buffer.shape_index.empty() ? name : name + "}";
}

std::string_view GroupOf(const BufferAllocation* allocation) {
  if (allocation == nullptr) return "Temporary";
  if (allocation->entry_parameter) return "Parameter";
  if (allocation->live_out) return "Output";
  return allocation->constant ? "Constant" : "Temporary";
}

uint32_t BufferHolderOf(const HloModule& module, uint32_t instruction) {
  constexpr int kMostSteps = 64;
  std::vector<bool> has(module.instructions.size());
  for (const LogicalBuffer& buffer : module.buffers.buffers)
    if (buffer.instruction < has.size()) has[buffer.instruction] = true;
  uint32_t at = instruction;
  for (int step = 0; step < kMostSteps && at < has.size(); ++step) {
    if (has[at]) return at == instruction ? kNone : at;
    const Instruction& i = module.instructions[at];
    const Instruction* operand = HandsOn(i) ? module.Operand(i, 0) : nullptr;
    at = operand != nullptr ? module.IndexOf(*operand) : FusionOf(module, i.computation);
  }
  return kNone;
}

ScopedMemory LargestScopedVmem(const HloModule& module) {
  ScopedMemory largest;
  for (const Instruction& i : module.instructions) {
    const int64_t bytes = ScopedVmemOf(module.DetailsOf(i).backend_config);
    if (bytes > largest.bytes) largest = {bytes, i.name};
  }
  return largest;
}

}  // namespace stepscope::xla
