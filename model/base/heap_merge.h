// Merges sequences that are each in order: O(n log sequences); runs of one sequence cost nothing
// extra. Pure.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace stepscope {

enum class MergeStep { kMore, kEnd, kStop };

// Brings the first of a heap to its place; the others are in order, the least first. A sequence
// that has moved on is seldom far from its place, so most calls end after a level or two.
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

// A head is where a sequence stands; `<` says which comes first. `visit(head)` takes what the
// earliest head stands at and moves the head on: kEnd if its sequence has no more, kStop ends all.
template <typename Head, typename Visit>
void HeapMerge(std::vector<Head> heap, Visit visit) {
  std::make_heap(heap.begin(), heap.end(), [](const Head& a, const Head& b) { return b < a; });
  const auto first_leads = [&heap] {
    return (heap.size() < 2 || !(heap[1] < heap[0])) && (heap.size() < 3 || !(heap[2] < heap[0]));
  };
  while (!heap.empty()) {
    MergeStep step = MergeStep::kMore;
    do {
      step = visit(heap.front());
    } while (step == MergeStep::kMore && first_leads());
    if (step == MergeStep::kStop) return;
    if (step == MergeStep::kEnd) {
      std::swap(heap.front(), heap.back());
      heap.pop_back();
    }
    SiftDown(&heap);
  }
}

}  // namespace stepscope
