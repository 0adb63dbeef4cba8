// LanePart is a part of a lane. Threads take parts one after the other, so that a long lane keeps
// several of them busy. Stateless.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// The events of a lane in [begin, end).
struct LanePart {
  const Lane* lane;
  uint32_t begin, end;
};

// Appends the parts of the lanes in order.
inline void AppendParts(std::span<const Lane> lanes, std::vector<LanePart>* parts) {
  constexpr uint32_t kMost = 1u << 16;
  for (const Lane& lane : lanes) {
    const auto size = static_cast<uint32_t>(lane.size());
    for (uint32_t i = 0; i < size; i += std::min(kMost, size - i))
      parts->push_back({&lane, i, i + std::min(kMost, size - i)});
  }
}

inline uint64_t EventsIn(std::span<const LanePart> parts) {
  uint64_t events = 0;
  for (const LanePart& part : parts) events += part.end - part.begin;
  return events;
}

}  // namespace stepscope
