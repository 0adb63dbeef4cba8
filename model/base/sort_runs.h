// SortRuns: a stable sort for what is nearly in order already, that can be stopped. Events stand in
// a file as their writers emptied their buffers: a few ascending runs, each of which overlaps the
// next one a little or not at all. O(n log runs), and runs that follow each other cost one
// comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stop_token>
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

// The starts of runs; short ones are sorted together first, in the first-level cache.
template <typename It, typename Less>
std::vector<It> RunsOf(It begin, It end, const Less& less, const std::stop_token& stop) {
  constexpr std::ptrdiff_t kShortest = 1024;
  std::vector<It> runs;
  while (begin != end && !stop.stop_requested()) {
    runs.push_back(begin);
    It next = std::is_sorted_until(begin, end, less);
    if (next != end && next - begin < kShortest) {
      next = begin + std::min(end - begin, kShortest);
      std::stable_sort(begin, next, less);
    }
    begin = next;
  }
  return runs;
}

// When asked to stop it returns early, and the order is any.
template <typename It, typename Less>
void SortRuns(It begin, It end, const Less& less, const std::stop_token& stop = {}) {
  std::vector<It> runs = RunsOf(begin, end, less, stop);
  while (runs.size() > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < runs.size(); i += 2) {
      if (stop.stop_requested()) return;
      const It last = i + 2 < runs.size() ? runs[i + 2] : end;
      if (i + 1 < runs.size()) MergeRuns(runs[i], runs[i + 1], last, less);
      runs[kept++] = runs[i];
    }
    runs.resize(kept);
  }
}

}  // namespace stepscope
