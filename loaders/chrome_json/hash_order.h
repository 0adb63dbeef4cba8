// Bringing together what has the same id, for arrows and asynchronous events: numbers of items are
// sorted by a hash of the id. Items and not hash tables: ids come from outside, and nothing here
// gets slow when many have one hash.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace stepscope::chrome
