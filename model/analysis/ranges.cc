#include "model/analysis/ranges.h"

#include <algorithm>
#include <utility>

namespace stepscope {

void MergeInto(Ranges* merged, TimeRange r) {
  if (!merged->empty() && r.begin <= merged->back().end) {
    merged->back().end = std::max(merged->back().end, r.end);
  } else {
    merged->push_back(r);
  }
}

Ps Overlap(const Ranges& a, const Ranges& b) {
  Ps sum = 0;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    sum += std::max<Ps>(0, std::min(a[i].end, b[k].end) - std::max(a[i].begin, b[k].begin));
    if (a[i].end < b[k].end) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

void SortAndMerge(Ranges* ranges) {
  std::sort(ranges->begin(), ranges->end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  Ranges merged;
  for (const TimeRange& r : *ranges) MergeInto(&merged, r);
  *ranges = std::move(merged);
}

Ranges Union(const Ranges& a, const Ranges& b) {
  Ranges all = a;
  all.insert(all.end(), b.begin(), b.end());
  SortAndMerge(&all);
  return all;
}

}  // namespace stepscope
