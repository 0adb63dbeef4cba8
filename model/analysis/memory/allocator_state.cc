#include "model/analysis/memory/allocator_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

// Disjoint stretches of addresses, by begin. A stretch that would go beyond the last address ends
// there.
class Stretches {
 public:
  void Add(uint64_t begin, int64_t bytes, bool join) {
    uint64_t end = EndOf(begin, bytes);
    if (end == begin) return;
    Remove(begin, bytes);
    const auto next = parts_.find(end);
    if (join && next != parts_.end()) {
      end = next->second;
      parts_.erase(next);
    }
    auto at = parts_.upper_bound(begin);
    if (join && at != parts_.begin() && std::prev(at)->second == begin) {
      std::prev(at)->second = end;
    } else {
      parts_.emplace_hint(at, begin, end);
    }
  }
  void Remove(uint64_t begin, int64_t bytes) {
    const uint64_t end = EndOf(begin, bytes);
    auto at = parts_.upper_bound(begin);
    if (at != parts_.begin() && std::prev(at)->second > begin) --at;
    while (at != parts_.end() && at->first < end) {
      const auto [from, to] = *at;
      at = parts_.erase(at);
      if (from < begin) parts_.emplace(from, begin);
      if (to > end) parts_.emplace(end, to);
    }
  }
  const std::map<uint64_t, uint64_t>& parts() const { return parts_; }

 private:
  static uint64_t EndOf(uint64_t begin, int64_t bytes) {
    const auto size = static_cast<uint64_t>(std::max<int64_t>(0, bytes));
    return size > UINT64_MAX - begin ? UINT64_MAX : begin + size;
  }
  std::map<uint64_t, uint64_t> parts_;
};

void Undo(const AllocatorEvents& events, size_t row, Stretches* taken) {
  const uint64_t address = events.address[row];
  const int64_t size = events.size[row];
  switch (events.action[row]) {
    case AllocatorAction::kSegmentAlloc:
    case AllocatorAction::kSegmentMap:
      return taken->Remove(address, size);
    case AllocatorAction::kSegmentFree:
      return taken->Add(address, size, false);
    case AllocatorAction::kSegmentUnmap:
      return taken->Add(address, size, true);
    default:
      return;
  }
}

struct Live {
  uint64_t address;
  int64_t size;
};

std::vector<Live> LiveAt(const AllocatorDevice& device, uint32_t event) {
  std::vector<Live> live;
  for (const Allocation& a : device.allocations.span()) {
    if (a.LiveAfter(event)) live.push_back({a.address, a.size});
  }
  std::sort(live.begin(), live.end(),
            [](const Live& a, const Live& b) { return a.address < b.address; });
  return live;
}

// Visits the free stretches between the allocations of a segment, in order.
class FreeParts {
 public:
  explicit FreeParts(SegmentState* segment) : segment_(*segment), at_(segment->address) {}
  void Pass(const Live& live) {
    Free(live.address);
    segment_.allocated = SaturatingAdd(segment_.allocated, live.size);
    ++segment_.allocations;
    const auto size = static_cast<uint64_t>(live.size);
    at_ = std::max(at_, size > UINT64_MAX - live.address ? UINT64_MAX : live.address + size);
  }
  void Free(uint64_t until) {
    if (until <= at_) return;
    ++segment_.free_parts;
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(until - at_, INT64_MAX));
    segment_.largest_free = std::max(segment_.largest_free, bytes);
  }

 private:
  SegmentState& segment_;
  uint64_t at_;
};

const AllocatorSegment* EndSegment(const std::vector<const AllocatorSegment*>& segments,
                                   uint64_t address) {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), address,
                       [](uint64_t at, const AllocatorSegment* s) { return at < s->address; });
  if (after == segments.begin()) return nullptr;
  const AllocatorSegment* segment = *std::prev(after);
  return address - segment->address < static_cast<uint64_t>(segment->size) ? segment : nullptr;
}

}  // namespace

std::vector<SegmentState> SegmentsAt(const AllocatorHistory& history, const AllocatorDevice& device,
                                     uint32_t event) {
  Stretches taken;
  std::vector<const AllocatorSegment*> at_end;
  for (const AllocatorSegment& s : history.segments) {
    if (s.device != device.index) continue;
    taken.Add(s.address, s.size, false);
    at_end.push_back(&s);
  }
  for (size_t e = device.events; e > size_t{event} + 1; --e)
    Undo(history.events, device.first_event + e - 1, &taken);
  std::vector<SegmentState> segments;
  const std::vector<Live> live = LiveAt(device, event);
  auto next = live.begin();
  for (const auto& [begin, end] : taken.parts()) {
    SegmentState& s = segments.emplace_back();
    s.address = begin;
    s.bytes = static_cast<int64_t>(std::min<uint64_t>(end - begin, INT64_MAX));
    s.at_end = EndSegment(at_end, begin);
    FreeParts parts(&s);
    while (next != live.end() && next->address < begin) ++next;
    for (; next != live.end() && next->address < end; ++next) parts.Pass(*next);
    parts.Free(end);
  }
  return segments;
}

ResultTable SegmentStateTable(const AllocatorHistory& history,
                              const std::vector<SegmentState>& segments, const char* id,
                              const char* title) {
  using S = SegmentState;
  // A field that only a segment has that lasts to the end.
  const auto at_end = [](auto get) {
    return [get](const S& s) {
      return s.at_end != nullptr ? std::optional<SharedText>(get(*s.at_end)) : std::nullopt;
    };
  };
  using Segment = AllocatorSegment;
  const Schema<S> schema(
      id, title,
      {{"address", "Address", Unit::kNone,
        [](const S& s) { return fmt::format("0x{:x}", s.address); }},
       {"type", "Type", Unit::kNone,
        at_end([&](const Segment& e) { return SharedText(history.strings.View(e.type)); })},
       {"stream", "Stream", Unit::kNone,
        at_end([&](const Segment& e) { return fmt::format("0x{:x}", history.streams[e.stream]); })},
       {"pool", "Private pool", Unit::kNone, at_end([](const Segment& e) { return e.pool; })},
       {"bytes", "Size", Unit::kBytes, &S::bytes},
       {"allocated_bytes", "In use", Unit::kBytes, &S::allocated},
       {"free_bytes", "Free", Unit::kBytes, &S::free},
       {"largest_free_bytes", "Largest free", Unit::kBytes, &S::largest_free,
        "the longest stretch between allocations"},
       {"free_parts", "Free stretches", Unit::kCount, &S::free_parts},
       {"allocations", "Allocations", Unit::kCount, &S::allocations},
       {"fragmentation", "Fragmentation", Unit::kFraction, &S::fragmentation,
        "1 - largest free stretch / free bytes"}});
  return schema.Make(segments);
}

}  // namespace stepscope
