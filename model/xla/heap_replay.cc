#include "model/xla/heap_replay.h"

#include <algorithm>
#include <utility>

namespace stepscope::xla {

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

}  // namespace stepscope::xla
