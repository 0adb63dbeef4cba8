#include "loaders/chrome_json/hash_order.h"

#include <algorithm>
#include <numeric>

namespace stepscope::chrome {

// Items are dealt into buckets by twelve bits first; then nearly every bucket is a few items, which
// fit the first-level cache.
void SortByHash(std::vector<HashedItem>* items) {
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

}  // namespace stepscope::chrome
