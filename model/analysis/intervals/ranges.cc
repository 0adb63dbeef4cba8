#include "model/analysis/intervals/ranges.h"

#include <algorithm>
#include <utility>

#include "model/base/sort_runs.h"

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

Ranges UnionOf(Ranges ranges) {
  const auto earlier = [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; };
  SortRuns(ranges.begin(), ranges.end(), earlier);  // a few streams, each by begin
  Ranges merged;
  for (const TimeRange& r : ranges) MergeInto(&merged, r);
  return merged;
}

Ps LengthOf(const Ranges& ranges) {
  Ps sum = 0;
  for (const TimeRange& r : ranges) sum += r.length();
  return sum;
}

Ranges Union(const Ranges& a, const Ranges& b) {
  Ranges all = a;
  all.insert(all.end(), b.begin(), b.end());
  return UnionOf(std::move(all));
}

}  // namespace stepscope
