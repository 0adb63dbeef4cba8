// LanePart is a part of a lane. Threads take parts one after the other, so that a long lane keeps
// several of them busy. Stateless.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope {

// The events of a lane in [begin, end).
struct LanePart {
  const Lane* lane;
  uint32_t begin, end;
};

inline constexpr uint32_t kPartEvents = 1u << 16;

// The events of a part, if what is made of each part is kept: then there are only a few parts for
// each thread of a program, however many events there are.
inline uint32_t EventsOfKeptPart(uint64_t events) {
  constexpr uint64_t kPartsOfThread = 8, kMost = uint64_t{1} << 31;
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(events / (kPartsOfThread * WorkerCount()), kPartEvents, kMost));
}

// Appends the parts of the lanes in order, of at most so many events.
inline void AppendParts(std::span<const Lane> lanes, std::vector<LanePart>* parts,
                        uint32_t most = kPartEvents) {
  for (const Lane& lane : lanes) {
    const auto size = static_cast<uint32_t>(lane.size());
    for (uint32_t i = 0; i < size; i += std::min(most, size - i))
      parts->push_back({&lane, i, i + std::min(most, size - i)});
  }
}

inline uint64_t EventsIn(std::span<const LanePart> parts) {
  uint64_t events = 0;
  for (const LanePart& part : parts) events += part.end - part.begin;
  return events;
}

}  // namespace stepscope
