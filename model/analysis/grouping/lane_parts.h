// LanePart is a part of a lane. Threads take parts one after the other, so that a long lane keeps
// several of them busy. A pass over the events of lanes is written here once: whoever collects
// something says how a part is read (ReadParts) and what a plane's parts are together (PlaneParts).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/jobs/job.h"
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

// Calls read(part, reader) for each part, on all cores, and returns what it found, in order of the
// parts. Each thread gets a reader from make() and uses it for one part after the other.
template <typename Make, typename Read>
auto ReadParts(std::span<const LanePart> parts, const Make& make, const Read& read) {
  using Reader = std::invoke_result_t<const Make&>;
  std::vector<std::invoke_result_t<const Read&, const LanePart&, Reader&>> found(parts.size());
  Reused<std::optional<Reader>> readers;
  ParallelFor(
      parts.size(),
      [&](size_t i) {
        CheckStop();
        std::unique_ptr<std::optional<Reader>> reader = readers.Take();
        if (!*reader) reader->emplace(make());
        found[i] = read(parts[i], **reader);
        readers.Give(std::move(reader));
      },
      ThreadsFor(EventsIn(parts)));
  return found;
}

// The parts of each plane, in the order in which planes are added. Views the lanes.
class PlaneParts {
 public:
  void AddPlane(std::span<const LanePart> parts) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    ends_.push_back(parts_.size());
  }
  std::span<const LanePart> all() const { return parts_; }
  // `found`: what ReadParts found in all(). Calls join(span) with what it found in a plane's parts,
  // on all cores, and returns what that makes of each plane.
  template <typename Found, typename Join>
  auto Joined(std::span<Found> found, const Join& join) const {
    std::vector<std::invoke_result_t<const Join&, std::span<Found>>> planes(ends_.size());
    ParallelFor(planes.size(), [&](size_t p) {
      const size_t begin = p == 0 ? 0 : ends_[p - 1];
      planes[p] = join(found.subspan(begin, ends_[p] - begin));
    });
    return planes;
  }

 private:
  std::vector<LanePart> parts_;
  std::vector<size_t> ends_;  // of each plane, in parts_
};

}  // namespace stepscope
