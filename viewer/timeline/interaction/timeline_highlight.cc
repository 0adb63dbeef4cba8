#include "viewer/timeline/interaction/timeline_highlight.h"

#include <algorithm>
#include <iterator>

#include "model/query/row_bits.h"

namespace stepscope {

void TimelineHighlight::Update(std::span<const Profile> profiles, const HighlightedEvents& shown,
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
    highlight_.rows = ByRunAndSet(shown.events());
  } else {
    highlight_.rows = hits.rows;
  }
  AddRowsWithoutPython(profiles, python);
}

// Adds the same events by the rows that are drawn while Python frames are hidden.
void TimelineHighlight::AddRowsWithoutPython(std::span<const Profile> profiles,
                                             const PythonHider& python) {
  std::vector<Highlight::Rows> added;
  for (const Highlight::Rows& own : highlight_.rows) {
    size_t profile = 0;
    while (profile < profiles.size() && profiles[profile].id != own.profile) ++profile;
    const WithoutPython* rest = own.set == 0 ? python.rest(profile) : nullptr;
    if (rest == nullptr) continue;
    RowBits drawn(rest->set.rows);
    for (const uint32_t row : *own.rows) {
      if (rest->row[row].valid()) drawn.Set(rest->row[row].value);
    }
    added.push_back(RowsOf(own.profile, WithoutPython::kSet, drawn.Rows()));
  }
  std::move(added.begin(), added.end(), std::back_inserter(highlight_.rows));
}

}  // namespace stepscope
