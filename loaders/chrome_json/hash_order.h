// Bringing together what has the same id, for arrows and asynchronous events: numbers of items are
// sorted by a hash of the id. Items and not hash tables: ids come from outside, and nothing here
// gets slow when many have one hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace stepscope::chrome {

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

// Shares that can be sorted side by side. Their number does not depend on the machine, and so
// neither does the order of what is made of them.
constexpr size_t kHashShares = 16;
inline size_t HashShareOf(uint64_t hash) { return hash >> 60; }

// One share, by hash and then by number.
void SortByHash(std::vector<HashedItem>* items);

// Empties a share: calls fn(&group) for those of `all` that have one hash, hash after hash, each
// group by number. Ends early when a stop is requested.
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

}  // namespace stepscope::chrome
