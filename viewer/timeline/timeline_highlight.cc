#include "viewer/timeline/timeline_highlight.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "model/base/sort_runs.h"

namespace stepscope {

void TimelineHighlight::Update(std::span<const Run> runs, const ShownEvents& shown,
                               const SearchHits& hits, const PythonHider& python, bool stale) {
  const bool events = !shown.empty();
  if (!stale && !first_ && shown_ == shown.version() &&
      (events || (query_ == hits.query && count_ == hits.count)))
    return;
  first_ = false;
  shown_ = shown.version();
  query_ = hits.query;
  count_ = hits.count;
  highlight_.rows.clear();
  highlight_.version = 0;
  if (!events && hits.query.empty()) return;
  highlight_.version = ++versions_;
  if (events) {
    AddEvents(shown);
  } else {
    highlight_.rows = hits.rows;
  }
  AddRowsWithoutPython(runs, python);
}

void TimelineHighlight::AddEvents(const ShownEvents& shown) {
  highlight_.rows = ByRunAndSet(shown.events());
  // Lists of ascending rows, one after the other.
  for (auto& rows : highlight_.rows) SortRuns(rows.rows.begin(), rows.rows.end(), std::less<>());
}

// The same events by the rows that are drawn where Python frames are hidden.
void TimelineHighlight::AddRowsWithoutPython(std::span<const Run> runs, const PythonHider& python) {
  std::vector<Highlight::Rows> added;
  for (const Highlight::Rows& own : highlight_.rows) {
    size_t run = 0;
    while (run < runs.size() && runs[run].id != own.run) ++run;
    const WithoutPython* rest = own.set == 0 ? python.rest(run) : nullptr;
    if (rest == nullptr) continue;
    Highlight::Rows& drawn = added.emplace_back();
    drawn.run = own.run;
    drawn.set = WithoutPython::kSet;
    for (const uint32_t row : own.rows) {
      if (rest->row[row].valid()) drawn.rows.push_back(rest->row[row].value);
    }
    std::sort(drawn.rows.begin(), drawn.rows.end());
  }
  std::move(added.begin(), added.end(), std::back_inserter(highlight_.rows));
}

}  // namespace stepscope
