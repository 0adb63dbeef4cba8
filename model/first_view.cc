#include "model/first_view.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace stepscope {
namespace {

constexpr uint64_t kStrayShare = 1000;  // at most one event in so many is stray
constexpr uint64_t kMinEvents = 20;     // among fewer, none is stray
constexpr double kMaxStretch = 20;      // how much longer than the dense part the full span may be
constexpr Ps kLeastView = kPsPerUs;     // for a single instant

// The `count` least keys over all lanes, ascending, where key(lane, k) ascends with k in each lane.
template <typename Key>
std::vector<Ps> LeastKeys(std::span<const Lane> lanes, size_t count, const Key& key) {
  struct Head {
    Ps value;
    uint32_t lane, index;
    bool operator>(const Head& o) const { return value > o.value; }
  };
  std::vector<Head> heads;
  heads.reserve(lanes.size());
  for (uint32_t i = 0; i < lanes.size(); ++i) heads.push_back({key(lanes[i], 0u), i, 0});
  std::priority_queue<Head, std::vector<Head>, std::greater<Head>> heap(std::greater<Head>(),
                                                                        std::move(heads));
  std::vector<Ps> out;
  out.reserve(count);
  while (out.size() < count && !heap.empty()) {
    Head head = heap.top();
    heap.pop();
    out.push_back(head.value);
    if (++head.index >= lanes[head.lane].size()) continue;
    head.value = key(lanes[head.lane], head.index);
    heap.push(head);
  }
  return out;
}

double Length(Ps begin, Ps end) { return static_cast<double>(end) - static_cast<double>(begin); }

uint64_t CountInside(std::span<const Lane> lanes, TimeRange range) {
  uint64_t inside = 0;
  for (const Lane& lane : lanes) {
    const auto [first, last] = EventsTouching(lane.view(), range);
    inside += last - first;
  }
  return inside;
}

}  // namespace

FirstView FindFirstView(std::span<const Lane> lanes, TimeRange full) {
  uint64_t events = 0;
  for (const Lane& lane : lanes) events += lane.size();
  if (events == 0) return {full, 0};
  const FirstView all{{full.begin, std::max(full.end, SaturatingAdd(full.begin, kLeastView))}, 0};
  if (events < kMinEvents) return all;

  // Trim k events by their begin from the left and the rest of the stray by their end from the
  // right: the shortest range is where the events are densest. Ends ascend in a lane as begins do,
  // and a clipped, endless event is stray too.
  const size_t stray = static_cast<size_t>(std::max<uint64_t>(1, events / kStrayShare));
  const std::vector<Ps> begins =
      LeastKeys(lanes, stray + 1, [](const Lane& lane, uint32_t k) { return lane.start[k]; });
  const std::vector<Ps> ends = LeastKeys(lanes, stray + 1, [](const Lane& lane, uint32_t k) {
    return ~lane.end(lane.size() - 1 - k);  // ~ turns the order around without overflow
  });
  size_t best = 0;
  const auto length = [&](size_t k) { return Length(begins[k], ~ends[stray - k]); };
  for (size_t k = 1; k <= stray; ++k) {
    if (length(k) < length(best)) best = k;
  }
  const Ps begin = begins[best];
  const TimeRange dense{begin, std::max(~ends[stray - best], SaturatingAdd(begin, kLeastView))};
  if (Length(full.begin, full.end) <= kMaxStretch * Length(dense.begin, dense.end)) return all;
  // The last end is outside a half-open range, which is right for drawing; one more ps counts
  // instants on it as inside.
  return {dense, events - CountInside(lanes, {dense.begin, SaturatingAdd(dense.end, 1)})};
}

}  // namespace stepscope
