#include "model/analysis/grouping/launch_index.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <tuple>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

// Calls fn(row, id) for the events of the track that may have queued work.
template <typename Fn>
void ForCalls(const CallFacts& facts, const Track& track, Fn fn) {
  for (const Lane& lane : facts.set.LanesOf(track)) {
    const uint32_t first = lane.first_row;
    facts.ids.ForRange(first, first + static_cast<uint32_t>(lane.size()),
                       [&](uint32_t row, int64_t id) {
                         const HostEventType type = facts.types[lane.meta[row - first]];
                         if (type == HostEventType::kNone || type == HostEventType::kKernelLaunch)
                           fn(row, id);
                       });
  }
}

// Says which of two calls with one id counts.
class Places {
 public:
  Places(const CallFacts& facts, std::span<const uint32_t> tracks) : facts_(facts) {
    for (size_t i = 0; i < tracks.size(); ++i)
      firsts_.emplace_back(RowsOf(facts.set, facts.set.tracks[tracks[i]]).first, i);
    std::sort(firsts_.begin(), firsts_.end());
  }
  uint64_t Of(uint32_t row) const {
    const auto after = std::upper_bound(
        firsts_.begin(), firsts_.end(), row,
        [](uint32_t r, const std::pair<uint32_t, size_t>& track) { return r < track.first; });
    return uint64_t{std::prev(after)->second} << 32 | facts_.position[row];
  }

 private:
  const CallFacts& facts_;
  std::vector<std::pair<uint32_t, size_t>> firsts_;  // first row and number of each track, by row
};

}  // namespace

LaunchIndex::LaunchIndex(const CallFacts& facts, std::span<const uint32_t> tracks) {
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  size_t count = 0;
  for (const uint32_t t : tracks) {
    const RowRange rows = RowsOf(facts.set, facts.set.tracks[t]);
    const auto extent = facts.ids.ExtentOf(rows.first, rows.end());
    count += extent.entries;
    first = std::min(first, extent.least);
    last = std::max(last, extent.greatest);
  }
  if (count == 0) return;
  if (table_.Open(first, last, count)) {
    FillTable(facts, tracks);
  } else {
    FillList(facts, tracks);
  }
}

void LaunchIndex::FillTable(const CallFacts& facts, std::span<const uint32_t> tracks) {
  const Places places(facts, tracks);
  ParallelFor(tracks.size(), [&](size_t i) {
    ForCalls(facts, facts.set.tracks[tracks[i]], [&](uint32_t row, int64_t id) {
      const std::atomic_ref<uint32_t> entry(table_.Entry(id));
      uint32_t other = 0;
      while (!entry.compare_exchange_weak(other, row + 1, std::memory_order_relaxed)) {
        if (other != 0 && places.Of(other - 1) > places.Of(row)) return;
      }
    });
  });
}

void LaunchIndex::FillList(const CallFacts& facts, std::span<const uint32_t> tracks) {
  for (size_t i = 0; i < tracks.size(); ++i) {
    ForCalls(facts, facts.set.tracks[tracks[i]], [&](uint32_t row, int64_t id) {
      calls_.push_back({id, uint64_t{i} << 32 | facts.position[row], row});
    });
  }
  std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
    return std::tie(a.id, a.place) < std::tie(b.id, b.place);
  });
}

uint32_t LaunchIndex::Find(int64_t id) const {
  if (!table_.empty()) return table_.Find(id).value;
  const auto after = std::upper_bound(calls_.begin(), calls_.end(), id,
                                      [](int64_t v, const Call& c) { return v < c.id; });
  return after != calls_.begin() && std::prev(after)->id == id ? std::prev(after)->row : kNone;
}

}  // namespace stepscope
