// Merges sequences that are each in order. O(n log sequences); successive elements of one sequence
// take O(1) each. Pure.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace stepscope {

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

// A head is a position in one sequence, and `<` orders heads by their elements. `visit(head)` is
// called for the earliest head: it uses the element and moves the head on. It returns kEnd if the
// sequence has no more elements, and kStop to end the merge.
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
