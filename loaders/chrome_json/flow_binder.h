// Makes arrows of flow events: finds which slice each flow event belongs to, and which of them make
// an arrow (docs/chrome.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stop_token>
#include <utility>
#include <vector>

#include "loaders/chrome_json/file_events.h"

namespace stepscope::chrome {

// Groups items with the same id, for arrows and asynchronous events: numbers of items are sorted by
// a hash of the id. Sorting is used and not hash tables, because ids come from outside: it does not
// get slow when many of them have one hash. Pure; O(n log n).
struct HashedItem {
  uint64_t hash;
  uint32_t item;
  bool operator<(const HashedItem& o) const {
    return hash != o.hash ? hash < o.hash : item < o.item;
  }
};

inline uint64_t HashOfId(uint64_t id, uint32_t key) {
  const uint64_t h = (id ^ uint64_t{key} << 40) * 0x9e3779b97f4a7c15ull;
  return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
}

// Number of shares, which threads sort side by side. It does not depend on the machine, so neither
// does the order of what is made of the shares.
constexpr size_t kHashShares = 16;
inline size_t HashShareOf(uint64_t hash) { return hash >> 60; }

// Sorts one share by hash and then by number. Items are dealt into buckets by twelve bits first;
// then nearly every bucket is a few items, which fit the first-level cache.
inline void SortByHash(std::vector<HashedItem>* items) {
  constexpr size_t kHeaps = 4096;
  if (items->size() < kHeaps) return std::sort(items->begin(), items->end());
  const auto heap = [](const HashedItem& i) { return (i.hash >> 48) % kHeaps; };
  std::vector<uint32_t> at(kHeaps + 1);
  for (const HashedItem& i : *items) ++at[heap(i) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<HashedItem> sorted(items->size());
  for (const HashedItem& i : *items) sorted[at[heap(i)]++] = i;
  uint32_t begin = 0;
  for (size_t h = 0; h < kHeaps; begin = at[h++])
    std::sort(sorted.begin() + begin, sorted.begin() + at[h]);
  *items = std::move(sorted);
}

// Empties a share: for one hash after the other, calls fn(&group) with the items of `all` that have
// it, by number. Ends early when a stop is requested.
template <typename T, typename Fn>
void ForHashGroups(std::vector<HashedItem>* share, const std::vector<T>& all,
                   const std::stop_token& stop, Fn fn) {
  constexpr size_t kStopEvery = 16'384;  // groups
  SortByHash(share);
  std::vector<T> group;
  size_t n = 0;
  for (auto at = share->begin(); at != share->end(); ++n) {
    if (n % kStopEvery == 0 && stop.stop_requested()) return;
    group.clear();
    const uint64_t hash = at->hash;
    for (; at != share->end() && at->hash == hash; ++at) group.push_back(all[at->item]);
    fn(&group);
  }
  *share = {};
}

struct Arrow {
  uint32_t from_thread, from_slice, to_thread, to_slice;
  naming::Part from_part, to_part;
  uint64_t id;
  uint32_t key;  // meta of the flow events, or kNoIndex
};

// Binds events->flows to slices: to a slice that begins at that time, else the innermost one around
// it; an end without "bp":"e" and without a slice around it to the next one that begins. Then
// links: each step and end to the last start or step before it with the same name, category and id;
// one start may have many ends (a CUDA graph launch). Counts what cannot be linked in
// events->diagnostics. Some are missing when asked to stop. O(n log n) in flow events and the
// slices of their threads. In several lists, one after the other.
std::vector<std::vector<Arrow>> BindFlows(FileEvents* events, const std::stop_token& stop);

}  // namespace stepscope::chrome
