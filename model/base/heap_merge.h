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
