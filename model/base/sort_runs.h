// SortRuns: a stable sort for what is nearly in order, which can be stopped. A file has its events
// in the order in which writers emptied their buffers: a few ascending runs, each of which overlaps
// the next a little or not at all. O(n log runs); two runs that do not overlap cost one comparison.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <stop_token>
#include <utility>
#include <vector>

namespace stepscope {

inline constexpr size_t kMergedPerStop =
    16'384;  // items merged between two checks of the stop token

// Merges two neighbouring runs with a copy of the left one. A stopped
// merge leaves the rest unmerged.
template <typename It, typename Less>
void MergeByLeft(It begin, It mid, It end, const Less& less, const std::stop_token& stop) {
  std::vector<typename std::iterator_traits<It>::value_type> left(std::make_move_iterator(begin),
                                                                  std::make_move_iterator(mid));
  auto next = left.begin();
  It out = begin;
  for (size_t n = 1; next != left.end() && mid != end; ++n, ++out) {
    if (n % kMergedPerStop == 0 && stop.stop_requested()) break;
    *out = less(*mid, *next) ? std::move(*mid++) : std::move(*next++);
  }
  std::move(next, left.end(), out);  // ends where the rest of the right run begins
}

// The same from the end, with a copy of the right run.
template <typename It, typename Less>
void MergeByRight(It begin, It mid, It end, const Less& less, const std::stop_token& stop) {
  std::vector<typename std::iterator_traits<It>::value_type> right(std::make_move_iterator(mid),
                                                                   std::make_move_iterator(end));
  auto next = right.end();
  It out = end;
  for (size_t n = 1; next != right.begin() && mid != begin; ++n) {
    if (n % kMergedPerStop == 0 && stop.stop_requested()) break;
    const bool from_left = less(*std::prev(next), *std::prev(mid));
    *--out = from_left ? std::move(*--mid) : std::move(*--next);
  }
  std::move_backward(right.begin(), next, out);
}

// Merges [begin, mid) and [mid, end), which are each in order. Touches only where they overlap.
template <typename It, typename Less>
void MergeRuns(It begin, It mid, It end, const Less& less, const std::stop_token& stop = {}) {
  if (!less(*mid, *std::prev(mid))) return;
  const It low = std::upper_bound(begin, mid, *mid, less);
  const It high = std::lower_bound(mid, end, *std::prev(mid), less);
  if (mid - low <= high - mid) {
    MergeByLeft(low, mid, high, less, stop);
  } else {
    MergeByRight(low, mid, high, less, stop);
  }
}

// The starts of ascending runs. Short runs are first sorted together, within the first-level cache.
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

// A stopped sort returns early with the elements in any order.
template <typename It, typename Less>
void SortRuns(It begin, It end, const Less& less, const std::stop_token& stop = {}) {
  std::vector<It> runs = RunsOf(begin, end, less, stop);
  while (runs.size() > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < runs.size(); i += 2) {
      if (stop.stop_requested()) return;
      const It last = i + 2 < runs.size() ? runs[i + 2] : end;
      if (i + 1 < runs.size()) MergeRuns(runs[i], runs[i + 1], last, less, stop);
      runs[kept++] = runs[i];
    }
    runs.resize(kept);
  }
}

// The numbers [0, n) by falling size, the order that ParallelFor wants.
template <typename Size>
std::vector<uint32_t> LargestFirst(size_t n, const Size& size) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  SortRuns(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return size(a) > size(b); });
  return order;
}

// SortNumbers: sorts many numbers in ascending order, by radix. It is for numbers
// that are spread over a range, such as delays and distances. O(n) for each 11 bits
// of the range, and a copy of the numbers.
inline void SortNumbers(std::vector<int64_t>* numbers) {
  constexpr size_t kFew = 2048, kDigits = 1 << 11;
  constexpr unsigned kBits = 11;
  if (std::is_sorted(numbers->begin(), numbers->end())) return;
  const auto [least, most] = std::minmax_element(numbers->begin(), numbers->end());
  const uint64_t base = static_cast<uint64_t>(*least);
  const uint64_t span = static_cast<uint64_t>(*most) - base;
  if (numbers->size() < kFew || span >> 55 != 0) {  // six passes or more are not faster
    std::sort(numbers->begin(), numbers->end());
    return;
  }
  std::vector<int64_t> other(numbers->size());
  for (unsigned shift = 0; span >> shift != 0; shift += kBits) {
    const auto digit = [&](int64_t v) {
      return (static_cast<uint64_t>(v) - base) >> shift & (kDigits - 1);
    };
    std::array<size_t, kDigits> at{};
    for (const int64_t v : *numbers) ++at[digit(v)];
    size_t sum = 0;
    for (size_t& count : at) sum += std::exchange(count, sum);
    for (const int64_t v : *numbers) other[at[digit(v)]++] = v;
    numbers->swap(other);
  }
}

// Merges sequences that are each in order. O(n log sequences); successive elements of one sequence
// take O(1) each. Pure.
enum class MergeStep { kMore, kEnd, kStop };

// Moves the first element of a heap to its place; the rest is a heap with the least element first.
// After a step a sequence is seldom far from its place, so most calls end after a level or two.
template <typename Head>
void SiftDown(std::vector<Head>* heap) {
  if (heap->empty()) return;
  Head moving = std::move(heap->front());
  size_t at = 0;
  for (size_t child = 1; child < heap->size(); child = 2 * at + 1) {
    if (child + 1 < heap->size() && (*heap)[child + 1] < (*heap)[child]) ++child;
    if (!((*heap)[child] < moving)) break;
    (*heap)[at] = std::move((*heap)[child]);
    at = child;
  }
  (*heap)[at] = std::move(moving);
}

// A head is a position in one sequence, and `<` orders heads by their elements. `visit(head, next)`
// is called for the earliest head: it uses the element and moves the head on, and goes on with the
// head's next elements as long as it likes while none comes after `*next`, the earliest of the
// other heads (null: there is none). It returns kEnd if the sequence has no more elements, and
// kStop to end the merge.
template <typename Head, typename Visit>
void HeapMergeRuns(std::vector<Head> heap, Visit visit) {
  std::make_heap(heap.begin(), heap.end(), [](const Head& a, const Head& b) { return b < a; });
  while (!heap.empty()) {
    const Head* next = heap.size() > 1 ? &heap[1] : nullptr;
    if (heap.size() > 2 && heap[2] < heap[1]) next = &heap[2];
    const MergeStep step = visit(heap.front(), next);
    if (step == MergeStep::kStop) return;
    if (step == MergeStep::kEnd) {
      std::swap(heap.front(), heap.back());
      heap.pop_back();
    }
    SiftDown(&heap);
  }
}

// The same with `visit(head)`, which uses one element.
template <typename Head, typename Visit>
void HeapMerge(std::vector<Head> heap, Visit visit) {
  HeapMergeRuns(std::move(heap), [&visit](Head& head, const Head* next) {
    MergeStep step = MergeStep::kMore;
    do {
      step = visit(head);
    } while (step == MergeStep::kMore && (next == nullptr || !(*next < head)));
    return step;
  });
}

}  // namespace stepscope
