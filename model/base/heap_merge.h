// Merges sequences that are each in order: O(n log sequences); runs of one sequence cost nothing
// extra. Pure.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace stepscope {

enum class MergeStep { kMore, kEnd, kStop };

// A head is where a sequence stands; `<` says which comes first. `visit(head)` takes what the
// earliest head stands at and moves the head on: kEnd if its sequence has no more, kStop ends all.
template <typename Head, typename Visit>
void HeapMerge(std::vector<Head> heap, Visit visit) {
  const auto later = [](const Head& a, const Head& b) { return b < a; };
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    Head& head = heap.back();
    MergeStep step = MergeStep::kMore;
    do {
      step = visit(head);
    } while (step == MergeStep::kMore && (heap.size() == 1 || head < heap.front()));
    if (step == MergeStep::kStop) return;
    if (step == MergeStep::kMore) {
      std::push_heap(heap.begin(), heap.end(), later);
    } else {
      heap.pop_back();
    }
  }
}

}  // namespace stepscope
