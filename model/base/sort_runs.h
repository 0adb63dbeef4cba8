// SortRuns: a stable sort for what is nearly in order already. Events stand in a file as their
// writers emptied their buffers: a few ascending runs, each of which overlaps the next one a little
// or not at all. O(n log runs), and runs that follow each other cost one comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace stepscope {

// Sorts [begin, mid) and [mid, end), each in order, into one; touches only where they overlap.
template <typename It, typename Less>
void MergeRuns(It begin, It mid, It end, const Less& less) {
  if (!less(*mid, *std::prev(mid))) return;
  const It low = std::upper_bound(begin, mid, *mid, less);
  const It high = std::lower_bound(mid, end, *std::prev(mid), less);
  std::inplace_merge(low, mid, high, less);
}

template <typename It, typename Less>
void SortRuns(It begin, It end, Less less) {
  constexpr size_t kShortRun = 16;  // on average: then there is no order to make use of
  const auto n = static_cast<size_t>(end - begin);
  std::vector<It> bounds;
  for (It it = begin; it != end; ++it) {
    if (it == begin || less(*it, *std::prev(it))) bounds.push_back(it);
    if (bounds.size() > 1 + n / kShortRun) return std::stable_sort(begin, end, less);
  }
  while (bounds.size() > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < bounds.size(); i += 2) {
      const It last = i + 2 < bounds.size() ? bounds[i + 2] : end;
      if (i + 1 < bounds.size()) MergeRuns(bounds[i], bounds[i + 1], last, less);
      bounds[kept++] = bounds[i];
    }
    bounds.resize(kept);
  }
}

}  // namespace stepscope
